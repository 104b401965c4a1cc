"""The pages' files, and how data gets into them: as text, or as JSON that no text can break out of."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from dissensus.audit.security import REPORT_POLICY
from dissensus.reporting.embedding import script_json

if TYPE_CHECKING:
    import jinja2

STATIC = {
    "page.css": "text/css",
    "owner.css": "text/css",
    "judge.js": "text/javascript",
    "assess.js": "text/javascript",
    "owner.js": "text/javascript",
}


def page(template: str, *, data: object, **values: object) -> Response:
    """A page of the server."""
    return Response(rendered(template, data=data, **values), media_type="text/html; charset=utf-8")


def rendered(template: str, *, data: object, **values: object) -> str:
    """A template as text; `data` is what its script reads."""
    import markupsafe

    return environment().get_template(template).render(data=markupsafe.Markup(script_json(data)), **values)


def report_page(text: str) -> Response:
    """A report, which holds its scripts itself and may load nothing."""
    return Response(text, media_type="text/html; charset=utf-8", headers={"content-security-policy": REPORT_POLICY})


def static(request: Request) -> Response:
    """One of the five files that pages load; there is no way to ask for another."""
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("There is no such file.", 404)
    return Response(resource(name), media_type=f"{STATIC[name]}; charset=utf-8")


@cache
def environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(resource), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip


@cache
def resource(name: str) -> str:
    """A file of the templates' folder."""
    return (files("dissensus.audit") / "templates" / name).read_text(encoding="utf-8")
