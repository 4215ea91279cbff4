"""From source documents to records, and from records to quads."""
