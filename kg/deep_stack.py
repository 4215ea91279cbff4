"""Run a function on a thread whose stack holds the engine's deepest recursion."""

import threading
from collections.abc import Callable
from typing import Final, TypeVar

from kg.errors import QueryFailedError

# Enough for 64 KiB of any operator, measured; the memory is only reserved until it is used.
STACK_BYTES: Final = 512 << 20
_STARTING: Final = threading.Lock()

Value = TypeVar("Value")


def on_deep_stack(function: Callable[[], Value]) -> Value:
    """Call a function on a thread of its own and return what it returns, or raise what it raises.

    Everything that it makes and does not return dies on that thread.

    Raises:
        QueryFailedError: there is no memory to reserve for the stack.
    """
    values: list[Value] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            values.append(function())
        except BaseException as error:  # noqa: BLE001 - carried to the caller, who raises it
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    with _STARTING:  # the size of a stack is set for the whole process
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        except RuntimeError as error:
            raise QueryFailedError("There is no memory for a query's stack.") from error
        finally:
            threading.stack_size(before)
    thread.join()
    if errors:
        raise errors[0]
    return values[0]
