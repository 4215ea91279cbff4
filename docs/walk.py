"""Walk through docs/contributing-data.md: do what it says, in order, in one folder.

Run it as ``python -m docs.walk`` to write its outputs again; a test fails while one differs.

- ``console`` and ``sh`` blocks are run; the outputs of ``console`` blocks are shown.
- A ``json`` block is what a person fills into the report that the walk has begun; a ``toml``
  block, lines that replace those of its keys in the source's description.
"""

import json
import re
import tempfile
from pathlib import Path
from typing import Any, Final

from docs.refresh import ROOT, run_block
from kg.build import build

PAGE: Final = ROOT / "docs" / "contributing-data.md"
REPORTS: Final = Path("our-lab/sources/our-lab-runs/reports.json")
_BLOCK: Final = re.compile(r"(```(console|sh|json|toml)\n)(.*?)(```\n)", re.DOTALL)


def walked(text: str, snapshot: Path, folder: Path) -> str:
    """Return the page with every output as it is now; ``folder`` keeps what the walk leaves."""
    (folder / "run.log").write_text("64 of 64 answers are equal.\n", encoding="utf-8")
    current = folder / "build" / "current"
    current.parent.mkdir()
    current.symlink_to(snapshot.resolve())
    return _BLOCK.sub(lambda match: _walk_block(match, folder), text)


def _walk_block(match: re.Match[str], folder: Path) -> str:
    start, kind, body, end = match.groups()
    if kind == "console":
        body = run_block(body, folder)
    elif kind == "sh":
        commands = "".join(f"$ {line}\n" for line in body.splitlines())
        run_block(commands, folder)
    elif kind == "toml":
        _replace_lines(body, folder / REPORTS.with_name("source.toml"))
    else:
        _fill_in(json.loads(body), folder / REPORTS)
    return f"{start}{body}{end}"


def _fill_in(values: dict[str, Any], path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    document["reports"][0] |= values
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")


def _replace_lines(lines: str, path: Path) -> None:
    new = {line.partition(" =")[0]: line for line in lines.splitlines()}
    old = path.read_text(encoding="utf-8").splitlines()
    text = "".join(f"{new.get(line.partition(' =')[0], line)}\n" for line in old)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Write the page's outputs again."""
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryDirectory() as folder:
        built = build(out=Path(out))
        if built.snapshot is None:
            raise SystemExit(built.report.text)
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(walked(text, built.snapshot, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
