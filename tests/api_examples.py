"""The examples of the HTTP interface: ask each again, and write its real answer.

``python -m tests.api_examples`` rewrites api/examples/ from the two original documents. A new
example begins as a file with its title and request (path, query, accept), status 200, the media
type and the body null; ``first`` cuts a list of the body that would be long.
"""

import json
import tempfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

from starlette.testclient import TestClient

from api.app import create_app
from kg.backend import Backend, StoreBackend
from kg.build import build
from kg.queries import questions
from kg.snapshot import open_snapshot

ROOT: Final = Path(__file__).parent.parent
EXAMPLES: Final = ROOT / "api" / "examples"
DOCUMENTS: Final = ("cloud-ai-100", "model-support")
TODAY: Final = date(2026, 11, 30)
QUESTIONS: Final = "questions"
_SNAPSHOT: Final = "2026.11.30-1-0123456789ab"


def client(backend: Backend) -> TestClient:
    """Return a client of an application whose today never moves."""
    return TestClient(create_app(backend, today=lambda: TODAY))


def names() -> list[str]:
    """Return the names of the examples that are one request each."""
    return sorted(path.stem for path in EXAMPLES.glob("*.json") if path.stem != QUESTIONS)


def read(name: str) -> Any:
    """Read an example as it is written."""
    return json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def answer(http: TestClient, written: Mapping[str, Any]) -> dict[str, Any]:
    """Ask an example's request again; the snapshot has a name of its own, whatever the data."""
    request = written["request"]
    headers = {"Accept": request["accept"]} if "accept" in request else {}
    response = http.get(request["path"], params=request.get("query", {}), headers=headers)
    media_type = response.headers["Content-Type"]
    first = written.get("first", {})
    return {
        "title": written["title"],
        "request": request,
        **({"first": first} if first else {}),
        "status": response.status_code,
        "media_type": media_type,
        "body": _shown(response.json(), first)
        if "json" in media_type
        else _beginning(response.text, first),
    }


def answer_questions(http: TestClient) -> dict[str, Any]:
    """Ask every stored question by its default values; keep the first two rows of each answer."""
    shown = {}
    for name in questions():
        shown[name] = _shown(http.get(f"/api/v1/ask/{name}").json(), {"rows": 2})
    return shown


def _shown(body: Any, first: Mapping[str, int]) -> Any:
    if not isinstance(body, dict):
        return body
    cut = {key: body[key][:count] for key, count in first.items()}
    return {**body, **cut, **({"snapshot": _SNAPSHOT} if "snapshot" in body else {})}


def _beginning(text: str, first: Mapping[str, int]) -> str:
    if "lines" not in first:
        return text
    return "".join(text.splitlines(keepends=True)[: first["lines"]]) + "…\n"


def _write(name: str, content: object) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    (EXAMPLES / f"{name}.json").write_text(text, encoding="utf-8")


def _main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        built = build(out=Path(folder), only=DOCUMENTS)
        if built.snapshot is None:
            raise SystemExit(built.report.text)
        http = client(StoreBackend(open_snapshot(built.snapshot)))
        for name in names():
            _write(name, answer(http, read(name)))
        _write(QUESTIONS, answer_questions(http))


if __name__ == "__main__":
    _main()
