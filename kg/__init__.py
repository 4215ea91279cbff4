"""The knowledge graph: names, store, rules, validation, snapshots and questions."""

__version__ = "0.1.0"
