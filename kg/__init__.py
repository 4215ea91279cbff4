"""The knowledge graph: names, store, rules, validation, snapshots and questions."""
