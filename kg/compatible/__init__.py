"""Leads from an architecture class to what is compatible with it: computed, never stored."""
