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
    return HTMLResponse(write_page(title, body), headers={"Content-Security-Policy": policy()})


def write_page(title: str, body: str) -> str:
    """Write a page with its body, which is HTML already."""
    frame = Template(_read("frame.html"))
    return frame.substitute(title=escape(title), style=_read("style.css"), body=body)


def policy(*, form_action: str = "'none'") -> str:
    """Return the policy of a page: it has its style, and sends forms nowhere else."""
    style = _read("style.css").encode("utf-8")
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode("ascii")
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        f"base-uri 'none'; form-action {form_action}; frame-ancestors 'none'"
    )


@cache
def _read(name: str) -> str:
    return files(__package__).joinpath("web", name).read_text(encoding="utf-8")
