"""A server that ends when it is told to: a first signal lets answers finish, a second does not."""

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

from api.connections import Connection

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
MORE_S: Final = 5.0  # seconds that answers have to end, after the time in which they may begin
_GIVEN_UP_S: Final = 5.0  # seconds that requests have to end whose clients were cut off


class Server(uvicorn.Server):
    """uvicorn's server, but that it breaks off what does not come to an end.

    Its own ends by the signal itself, before workers can be ended, and writes an error of its own
    into an answer that it breaks off.
    """

    def __init__(self, config: uvicorn.Config, grace: float) -> None:
        """Let answers run on for so many seconds."""
        super().__init__(config)
        self._grace = grace

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to ``end_by_signals``."""
        yield

    def end_by_signals(self, loop: asyncio.AbstractEventLoop, starting: asyncio.Task[None]) -> None:
        """Have the first signal end the server, or its start; a second one, the process.

        The kernel then does the rest: it breaks every connection, and the workers end with this
        process.
        """

        def stop() -> None:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_DFL)
            if self.started:
                self.stop()
            else:
                starting.cancel()

        for number in SIGNALS:
            loop.add_signal_handler(number, stop)

    def stop(self) -> None:
        """Take no more requests; cut those that run on for longer than they may."""
        self.should_exit = True
        asyncio.get_running_loop().call_later(self._grace, self._cut)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for answers to end, then for the requests whose clients were cut off."""
        await super().shutdown(sockets)
        if self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks, timeout=_GIVEN_UP_S)

    def _cut(self) -> None:
        self.force_exit = True
        for connection in list(self.server_state.connections):
            if isinstance(connection, Connection):
                connection.cut()
