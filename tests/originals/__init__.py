"""Tests against the original documents, which are not part of the project."""
