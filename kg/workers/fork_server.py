"""The fork server: loads a store once, forks workers from it, kills them, and tells how they ended.

It has one thread, so that it can fork at any time. It speaks with the pool by messages of JSON over
one socket, and ends, with all its workers, when the pool's end of that closes.
"""

import gc
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from pyoxigraph import Store

from kg.errors import RunatlasError
from kg.workers import worker
from kg.workers.limits import Limits

MESSAGE: Final = 1 << 16  # no message is longer
_SAID: Final = 1000
# Terminals and supervisors send these to every process of a group; the pool alone is to answer, and
# the end of its socket ends this one. Workers ignore them too.
_OF_THE_POOL: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def serve(control: socket.socket, load: Callable[[], Callable[[], Store]], limits: Limits) -> int:
    """Load the graph, then do what the pool asks until it is gone; return the exit code.

    What ``load`` returns gives a worker its store, after the fork.
    """
    for number in _OF_THE_POOL:
        signal.signal(number, signal.SIG_IGN)
    server = _ForkServer(control, limits)
    try:
        open_store = load()
    except RunatlasError as error:
        server.tell({"failed": str(error)})
        return 1
    gc.collect()
    gc.freeze()  # a collection would write to memory that workers share
    server.tell({"ready": True})
    server.run(open_store)
    return 0


class _ForkServer:
    def __init__(self, control: socket.socket, limits: Limits) -> None:
        self._control, self._limits = control, limits
        self._living: dict[int, int] = {}  # and where what each says can be read
        self._ended, write = os.pipe()
        for descriptor in (self._ended, write):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(write)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self, open_store: Callable[[], Store]) -> None:
        waiting = select.poll()  # select.select takes no descriptor above 1023
        for descriptor in (self._control.fileno(), self._ended):
            waiting.register(descriptor, select.POLLIN)
        while True:
            readable = {descriptor for descriptor, _ in waiting.poll()}
            if self._ended in readable:
                os.read(self._ended, MESSAGE)
                self._reap()
            if self._control.fileno() in readable:
                asked = self._control.recv(MESSAGE)
                if not asked:
                    return
                message = json.loads(asked)
                if message.get("kill") in self._living:  # not reaped: the number is still its own
                    os.kill(message["kill"], signal.SIGKILL)
                elif "fork" in message:
                    self._fork(open_store)

    def tell(self, message: Mapping[str, Any]) -> None:
        self._control.sendall(json.dumps(message).encode())

    def _fork(self, open_store: Callable[[], Store]) -> None:
        pool, own = socket.socketpair()
        said, saying = os.pipe()
        os.set_blocking(saying, False)  # what nobody reads in time is lost, and holds up nothing
        process = os.fork()
        if process == 0:
            code = 1
            try:
                os.dup2(saying, sys.stderr.fileno())
                for descriptor in (said, saying, *self._living.values()):
                    os.close(descriptor)
                self._forget(pool)
                worker.run(open_store(), own, self._limits)
                code = 0
            finally:
                os._exit(code)
        self._living[process] = said
        own.close()
        os.close(saying)
        with pool:
            told = json.dumps({"forked": process}).encode()
            socket.send_fds(self._control, [told], [pool.fileno()])

    def _forget(self, pool: socket.socket) -> None:
        """Close, in a worker, what is the fork server's and the pool's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        pool.close()
        self._control.close()
        os.close(self._ended)

    def _reap(self) -> None:
        while self._living:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            said = self._living.pop(process)
            text = _read(said).decode(errors="replace")
            os.close(said)
            self.tell({"ended": process, "signal": os.WTERMSIG(status), "said": text})


def _read(descriptor: int) -> bytes:
    """Return the beginning of what a worker that has ended said: the engine's own words."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, _SAID)
    except BlockingIOError:
        return b""
