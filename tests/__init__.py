"""The specification, as tests."""
