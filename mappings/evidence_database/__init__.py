"""The evidence database: a JSON document of models, support paths and their evidence."""
