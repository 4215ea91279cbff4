"""Explain an answer: the tree of what it rests on, down to the rows that sources print."""
