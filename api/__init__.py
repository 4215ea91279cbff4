"""HTTP: the SPARQL endpoint and the short questions, over a backend."""
