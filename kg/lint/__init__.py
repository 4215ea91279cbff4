"""Lint: what a curator looks at, by rule, with the places where it can be mended."""
