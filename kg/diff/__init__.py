"""What changed in support, not in triples, between two snapshots."""
