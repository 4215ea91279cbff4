"""A vendor's page of supported models, in its copied-text form."""
