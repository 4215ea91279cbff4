"""Write places for people: sources before curated rows, the lines of one file together."""

from collections.abc import Iterable, Iterator


def in_order(places: Iterable[str]) -> tuple[str, ...]:
    """Return places with sources before curated rows, and lines as numbers."""
    return tuple(sorted(set(places), key=_order))


def _order(place: str) -> tuple[bool, str, tuple[tuple[int, str], ...]]:
    file, mark = parted(place)
    numbers = tuple(_as_number(part) for part in mark.split("/"))
    return "curated/" in f"/{file}", file, numbers


def parted(place: str) -> tuple[str, str]:
    """Return the file of a place, and its line or JSON pointer (which begins with a slash)."""
    file, hash_, pointer = place.partition("#/")
    if hash_:
        return file, f"/{pointer}"
    file, _, line = place.rpartition(":")
    return file, line


def _as_number(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdecimal() else (0, part)


def compact(places: Iterable[str]) -> Iterator[str]:
    """Yield places with the lines of one file together, in order: ``file:3,12-39``."""
    lines: dict[str, list[int]] = {}
    for place in places:
        file, mark = parted(place)
        lines.setdefault(file if mark.isdecimal() else place, [])
        if mark.isdecimal():
            lines[file].append(int(mark))
    for file, numbers in lines.items():
        yield f"{file}:{','.join(_runs(sorted(numbers)))}" if numbers else file


def _runs(numbers: list[int]) -> Iterator[str]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield _run(first, last)
            first = number
        last = number
    yield _run(first, last)


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
