"""Queries that ask another server, in every spelling met, and a server that would hear it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ELSEWHERE = "SERVICE <http://127.0.0.1:{port}/> { ?s ?p ?o }"
FEDERATED = [
    "SELECT * { %s }",
    "SELECT * { service <http://127.0.0.1:{port}/> {?s ?p ?o} }",
    "SELECT * { SERVICE SILENT <http://127.0.0.1:{port}/> {?s ?p ?o} }",
    "SELECT * { SERVICE <https://127.0.0.1:{port}/> {?s ?p ?o} }",
    "SELECT * { SERVICE SILENT <https://127.0.0.1:{port}/> {?s ?p ?o} }",
    "SELECT * { ?a ?b 1%s }",
    "SELECT * { \\u0053ERVICE <http://127.0.0.1:{port}/> {?s ?p ?o} }",
    "SELECT * { S\\u0045RVICE <http://127.0.0.1:{port}/> {?s ?p ?o} }",
    "PREFIX ex: <a:>\nSELECT * { OPTIONAL {?x ex:a\\# ?y} %s\n}",
    "PREFIX ex: <a:>\nSELECT * { OPTIONAL {?x ex:a\\'b ?y} %s #'\n}",
    'PREFIX ex: <a:>\nSELECT * { OPTIONAL {?x ex:a\\"b ?y} %s #"\n}',
    "SELECT * { ?x ?y '\"' . %s #\"\n}",
    "SELECT * { ?x ?y \"'\" . %s #'\n}",
    "SELECT * { ?x ?y '''a'' ' ''' . %s }",
    "SELECT * { FILTER(1<2) %s FILTER(3>2) }",
    "SELECT * { FILTER(?a<?b) # <\n %s }",
    "SELECT * { ?x ?y <a#'> . %s #'\n}",
    "SELECT * { { SELECT * { %s } } }",
    "SELECT * { BIND(<http://127.0.0.1:{port}/> AS ?u) SERVICE ?u {?s ?p ?o} }",
    "ASK { %s }",
    "DESCRIBE ?s { %s }",
    "SELECT * {FILTER(1<'>')%s}",
    "SELECT * {FILTER(1<2#>'''\n) %s}",
    "SELECT * {FILTER('a'<'b'#>'''\n) %s}",
    "SELECT (1<2#>'''\n AS ?z) { %s }",
    "SELECT * {FILTER(1<'>')FILTER(''='') %s}",
    "SELECT * {BIND(1<2#>'''\n AS ?z) %s}",
]


def federated(form: str, port: int) -> str:
    return form.replace("%s", ELSEWHERE).replace("{port}", str(port))


@contextmanager
def listening() -> Iterator[tuple[int, list[str]]]:
    """Listen on loopback; yield the port, and what has connected to it."""
    connected: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.2)
    stop = threading.Event()

    def accept() -> None:
        while not stop.is_set():
            try:
                connection, address = server.accept()
            except TimeoutError:
                continue
            connected.append(str(address))
            connection.close()

    thread = threading.Thread(target=accept)
    thread.start()
    yield server.getsockname()[1], connected
    stop.set()
    thread.join()
    server.close()
