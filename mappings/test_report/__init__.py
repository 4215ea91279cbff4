"""Test reports: a JSON document of runs that one publisher made, passed or failed."""
