"""Tell names apart as a reader does: what looks alike is not another name."""

import re
from typing import Final
from unicodedata import category, name, normalize

# Characters that show nothing, or that steer what stands beside them, though they count as letters,
# marks or symbols: joiners, fillers, selectors, a blank braille cell.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
_STEERING: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
# A word may join these with Latin letters, as in no script whose letters look like Latin ones.
_EAST_ASIAN: Final = frozenset({"BOPOMOFO", "CJK", "HANGUL", "HIRAGANA", "KATAKANA"})

# Cyrillic, then Greek letters that look like Latin ones, in either case.
_LATIN_LIKE: Final = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442"
    "\u0443\u0445\u0456\u0458\u0455\u04bb\u04cf\u0501\u051b\u051d"
    "\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7",
    "abekmhopctyxijshldqwabezhikmnoptyx",
)


def name_fault(text: str) -> str | None:
    """Say why a name cannot be told by reading it; None if it can."""
    for character in text:
        if category(character) in _STEERING or _INVISIBLE.match(character):
            return f"holds the invisible character U+{ord(character):04X}"
    for word in normalize("NFKC", text).split():
        scripts = sorted({_script(c) for c in word if c.isalpha()} - _EAST_ASIAN)
        if len(scripts) > 1:
            return f"has letters of several scripts in one word: {', '.join(scripts).lower()}"
    return None


def fold_name(text: str) -> str:
    """Return what two names share that mean the same: their letters and digits, as one sees them.

    Case and width do not count, nor the script of a letter that looks like a Latin one. A name
    without letters and digits is its own.
    """
    folded = normalize("NFKC", normalize("NFKC", text).casefold()).translate(_LATIN_LIKE)
    kept = "".join(character for character in folded if category(character)[0] in "LN")
    return kept or text.strip()


def _script(letter: str) -> str:
    """Return the first word of a letter's Unicode name, which is that of its script."""
    return re.split(r"[ -]", name(letter, "UNNAMED"), maxsplit=1)[0]
