"""Check a model on hardware: what is stated, by whom, and what may be said of it."""
