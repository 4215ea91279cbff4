"""The servers that are compared, each on a free port, and ended by whoever has started it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.client import HOST, SlowError, fetch

ROOT: Final = Path(__file__).parent.parent
PEERS: Final = ROOT / ".venv-bench" / "bin"
_START_S: Final = 180.0
_END_S: Final = 10.0
_READY: Final = "ASK { <urn:bench:item:0> <urn:bench:size> ?size }"
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class StartError(Exception):
    """A server does not start."""


@dataclass(frozen=True, slots=True)
class Server:
    """How a server is started: with what commands, once it is known where."""

    name: str
    program: str  # what must be installed
    command: Callable[["Place"], Sequence[str]]
    path: str = "/sparql"
    prepare: Callable[["Place"], None] = lambda _: None
    load: Callable[["Place"], None] = lambda _: None
    environment: Mapping[str, str] = field(default_factory=dict)
    knows_answers: bool = False  # asked with the tags of the answers that it has given

    def is_installed(self) -> bool:
        """Tell whether the program is there."""
        return shutil.which(self.program) is not None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server runs: the data, a folder of its own, and a port that is free."""

    data: Path
    folder: Path
    port: int


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers."""

    server: Server
    port: int
    process: int

    def cpu(self) -> float:
        """Return the CPU seconds that the server and its children have taken."""
        return sum(_cpu_of(process) for process in _family(self.process))


@contextmanager
def running(server: Server, data: Path, folder: Path) -> Iterator[Running]:
    """Start a server, wait until it answers from the data, and end it.

    Raises:
        StartError: it does not come to answer.
    """
    folder.mkdir(parents=True)
    place = Place(data, folder, _free_port())
    log = folder / "log"
    server.prepare(place)
    environment = {
        **os.environ,
        **server.environment,
        "PYTHONPATH": str(ROOT),
        "RUNATLAS_BENCH_DATASET": str(data),
    }
    with log.open("wb") as said:
        process = subprocess.Popen(
            server.command(place),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,  # Ctrl+C is ours to answer
        )
    try:
        _wait(server, place, process, log)
        yield Running(server, place.port, process.pid)
    finally:
        _end(process)


def _wait(server: Server, place: Place, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    is_loaded = False
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if not is_loaded:
                socket.create_connection((HOST, place.port), timeout=1).close()
                server.load(place)
                is_loaded = True
            if b"true" in fetch(place.port, server.path, _READY, limit=5).body.lower():
                return
        except (OSError, SlowError, subprocess.CalledProcessError):
            pass  # not yet
        time.sleep(0.1)
    said = log.read_text(errors="replace")[-1000:]
    raise StartError(f"{server.name} does not start: {said}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        for member in list(_family(process.pid)):
            with suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _family(process: int) -> Iterator[int]:
    """Yield a process and all that it has started, as far as they run."""
    yield process
    for task in Path(f"/proc/{process}/task").glob("*"):
        for child in _read(task / "children").split():
            yield from _family(int(child))


def _cpu_of(process: int) -> float:
    """Return the CPU seconds of a process and of its children that have ended (``proc(5)``)."""
    fields = _read(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def _read(file: Path) -> str:
    """Return what the kernel says of a process; nothing, once it has ended."""
    with suppress(OSError):
        return file.read_text(encoding="utf-8")
    return ""


def _ours(cache: int) -> Callable[[Place], Sequence[str]]:
    def command(place: Place) -> Sequence[str]:
        serve = [sys.executable, "-m", "kg.cli", "serve", "--cache", str(cache)]
        return [*serve, "--port", str(place.port), "--dataset", str(place.data)]

    return command


def _granian(place: Place) -> Sequence[str]:
    return [
        *(str(PEERS / "granian"), "--interface", "asgi", "--factory", "--loop", "uvloop"),
        *("--host", HOST, "--port", str(place.port), "bench.endpoint_under_granian:create"),
    ]


def _oxigraph(place: Place) -> Sequence[str]:
    return [str(PEERS / "oxigraph"), "serve", "--bind", f"{HOST}:{place.port}"]


def _send_data(place: Place) -> None:
    request = urllib.request.Request(
        f"http://{HOST}:{place.port}/store?default",
        place.data.read_bytes(),
        {"Content-Type": "application/n-triples"},
        method="PUT",
    )
    with urllib.request.urlopen(request, timeout=_START_S):  # noqa: S310 - our own server
        pass


def _load_rocksdb(place: Place) -> None:
    load = [str(PEERS / "oxigraph"), "load", "--location", str(place.folder / "store")]
    subprocess.run([*load, "--file", str(place.data)], check=True, capture_output=True)


def _oxigraph_rocksdb(place: Place) -> Sequence[str]:
    return [*_oxigraph(place), "--location", str(place.folder / "store")]


def _rdflib(place: Place) -> Sequence[str]:
    serve = [str(PEERS / "rdflib-endpoint"), "serve", "--host", HOST]
    return [*serve, "--port", str(place.port), str(place.data)]


_VIRTUOSO: Final = """[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/temporary.db
TransactionFile = {folder}/temporary.trx
[Parameters]
ServerPort = {HOST}:{sql_port}
DirsAllowed = {folder}, {data}
NumberOfBuffers = 85000
MaxDirtyBuffers = 65000
DefaultIsolation = 2
[HTTPServer]
ServerPort = {HOST}:{port}
ServerRoot = {folder}
MaxKeepAlives = 100
KeepAliveTimeout = 60
ServerThreads = 16
[SPARQL]
ResultSetMaxRows = 1000000
MaxQueryCostEstimationTime = 0
MaxQueryExecutionTime = 0
"""


def _write_virtuoso(place: Place) -> None:
    sql_port = _free_port()
    (place.folder / "sql-port").write_text(str(sql_port))
    settings = _VIRTUOSO.format(
        folder=place.folder, data=place.data.parent, port=place.port, sql_port=sql_port, HOST=HOST
    )
    (place.folder / "virtuoso.ini").write_text(settings)


def _virtuoso(place: Place) -> Sequence[str]:
    return ["virtuoso-t", "+foreground", "+configfile", str(place.folder / "virtuoso.ini")]


def _load_virtuoso(place: Place) -> None:
    port = (place.folder / "sql-port").read_text()
    commands = (
        f"DB.DBA.TTLP_MT(file_to_string_output('{place.data}'), '', 'urn:bench:graph', 0);"
        "checkpoint;"
    )
    login = ["isql-vt", f"{HOST}:{port}", "dba", "dba"]
    subprocess.run([*login, f"exec={commands}"], check=True, capture_output=True)


SERVERS: Final = (
    Server("runatlas", sys.executable, _ours(0)),
    Server("runatlas-cached", sys.executable, _ours(64)),
    Server("runatlas-304", sys.executable, _ours(64), knows_answers=True),
    Server("runatlas-granian", str(PEERS / "granian"), _granian),
    Server("oxigraph-memory", str(PEERS / "oxigraph"), _oxigraph, "/query", load=_send_data),
    Server(
        *("oxigraph-rocksdb", str(PEERS / "oxigraph"), _oxigraph_rocksdb, "/query"),
        prepare=_load_rocksdb,
    ),
    Server("rdflib-endpoint", str(PEERS / "rdflib-endpoint"), _rdflib, "/"),
    Server("virtuoso", "virtuoso-t", _virtuoso, prepare=_write_virtuoso, load=_load_virtuoso),
)
