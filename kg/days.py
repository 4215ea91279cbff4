"""Read a day as it is documented: YYYY-MM-DD, and no other form of ISO 8601."""

import re
from datetime import date
from typing import Final

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_day(text: str) -> date:
    """Return the day that a text gives.

    Raises:
        ValueError: it has another form (Python takes 20261130 and 2026-W49-1), or is no day.
    """
    if not _DAY.fullmatch(text):
        raise ValueError(text)
    return date.fromisoformat(text)
