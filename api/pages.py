"""Pages for people: one frame and style; no script, and nothing that is fetched from elsewhere."""

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

from starlette.responses import HTMLResponse


def read_page(name: str) -> str:
    """Read the body of a page from api/web/."""
    return _read(f"{name}.html")


def respond(title: str, body: str) -> HTMLResponse:
    """Return a page with its body, which is HTML already, under a policy that permits the style."""
    style = _read("style.css")
    frame = Template(_read("frame.html"))
    page = frame.substitute(title=escape(title), style=style, body=body)
    return HTMLResponse(page, headers={"Content-Security-Policy": _policy(style)})


@cache
def _read(name: str) -> str:
    return files(__package__).joinpath("web", name).read_text(encoding="utf-8")


@cache
def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
