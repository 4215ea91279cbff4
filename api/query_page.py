"""/sparql for people: a form to write a query, its answer as a table, or why there is none."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from string import Template
from typing import Final
from urllib.parse import urlencode
from xml.etree.ElementTree import Element

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from api.guide import Example, Guide
from api.markup import Content, code, element, link, paragraphs, table, write
from api.negotiation import FORMATS, PAGE
from api.operation import Operation, Parameters, values_of
from api.pages import policy, read_page, write_page
from api.problems import status_of
from api.results_markup import Rows, read_results, write_iri, write_term
from api.service_description import Sizes
from kg import __version__
from kg.backend import Backend
from kg.errors import RunatlasError
from kg.vocab import BASE
from kg.workers.limits import MIB, Limits

TITLE: Final = "Runatlas: SPARQL"
# What takes about half a second to write, in the server's own process.
MAX_ROWS: Final = 2_000
MAX_BYTES: Final = MIB  # of an answer in JSON or Turtle
_LONGEST_LINK: Final = 8_000  # characters; what is longer is not passed on everywhere
_FEWEST_LINES, _MOST_LINES = 8, 24  # of a query that are seen at once
_TABLES: Final = ("csv", "tsv", "json", "xml")
_GRAPHS: Final = ("turtle", "ntriples", "jsonld", "rdfxml", "nquads", "trig")


class QueryPage:
    """Writes the pages of an endpoint; each is HTML without scripts."""

    def __init__(
        self,
        backend: Backend,
        limits: Limits,
        guide: Guide,
        *,
        max_rows: int = MAX_ROWS,
        largest: int = MAX_BYTES,
    ) -> None:
        """Show so many rows, and so many bytes of an answer as it is before it is a page."""
        self.max_rows, self.largest = max_rows, largest
        self._backend, self._limits, self._guide = backend, limits, guide
        self._examples: dict[str, Sequence[Example]] = {}
        made_by = [__version__, write_page("", read_page("sparql")), repr(limits)]
        self._edition = hashlib.sha256("".join(made_by).encode()).hexdigest()
        self.fields: Mapping[str, str] = {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": policy(form_action="'self'"),
            "Vary": "Accept",
        }

    def edition(self, operation: Operation) -> tuple[str, ...]:
        """Return what an operation's page depends on besides its answer, for its tag."""
        return (PAGE, self._edition, str(operation.timeout))

    def begin(self, sizes: Sizes) -> HTMLResponse:
        """Return the page without a query; ``sizes`` are the graphs that can be asked."""
        first = self._known_examples()[0].query
        body = self._write(_form(first, f"{self._limits.timeout:g}"), (), _graphs(sizes))
        return HTMLResponse(body, headers=dict(self.fields))

    def show(self, operation: Operation, media_type: str, answer: tuple[bytes, bool]) -> bytes:
        """Write the page of an answer, which is results in JSON or a graph in Turtle.

        ``answer`` may be the beginning alone; it says whether it is the whole.
        """
        body, is_whole = answer
        if media_type.startswith("text/turtle"):
            shown = _show_graph(body, operation, is_whole=is_whole)
        else:
            results = read_results(body, self.max_rows, is_whole=is_whole)
            shown = self._show_results(results, operation)
        timeout = f"{operation.timeout or self._limits.timeout:g}"
        graphs = [("default-graph-uri", graph) for graph in operation.default_graphs]
        graphs += [("named-graph-uri", graph) for graph in operation.named_graphs]
        return self._write(_form(operation.query, timeout, graphs), shown).encode()

    def fail(self, error: HTTPException | RunatlasError, parameters: Parameters) -> HTMLResponse:
        """Return the page of an error, with what was asked."""
        status, detail, headers = status_of(error)
        asked = [*values_of(parameters, "query"), *values_of(parameters, "update"), ""][0]
        timeout = next(iter(values_of(parameters, "timeout")), f"{self._limits.timeout:g}")
        graphs = [pair for pair in parameters if pair[0].endswith("graph-uri")]
        shown = (
            element("h2", f"No answer: {HTTPStatus(status).phrase}"),
            element("pre", detail, class_="wrap problem", role="alert"),
        )
        body = self._write(_form(asked, timeout, graphs), shown)
        return HTMLResponse(body, status, {**self.fields, **headers})

    def _known_examples(self) -> Sequence[Example]:
        snapshot = self._backend.snapshot
        if snapshot not in self._examples:
            self._examples = {snapshot: self._guide.examples()}
        return self._examples[snapshot]

    def _write(
        self, form: Element, answer: Iterator[Element] | Sequence[Element], *more: Element
    ) -> str:
        body = Template(read_page("sparql")).substitute(
            home=self._guide.home,
            form=write([form]),
            answer=write(answer),
            dataset=write(paragraphs(self._guide.dataset)),
            more=write([*more, _prefixes(self._guide.prefixes)]),
            examples=write(map(_example, self._known_examples())),
        )
        return write_page(TITLE, body)

    def _show_results(
        self, results: tuple[list[str], Rows, bool] | bool, operation: Operation
    ) -> Iterator[Element]:
        if isinstance(results, bool):
            yield element("h2", "Answer")
            yield element("p", element("strong", "true" if results else "false"))
            yield _downloads("This answer", operation, ("json", "xml"))
            return
        variables, rows, is_whole = results
        if is_whole:
            yield element("h2", f"{len(rows):,} {'row' if len(rows) == 1 else 'rows'}")
            yield _downloads("This answer", operation, _TABLES)
        else:
            yield element("h2", f"The first {len(rows):,} rows" if rows else "A very long row")
            yield _cut("This is not the whole answer: there are more rows.", operation, _TABLES)
        if rows:
            yield self._table(variables, rows)
        elif is_whole:
            yield element("p", "Nothing matches the query in the graphs that it asks.")

    def _table(self, variables: Sequence[str], rows: Rows) -> Element:
        prefixes = self._guide.prefixes
        cells = (tuple(tuple(write_term(term, prefixes)) for term in row) for row in rows)
        names = [f"?{variable}" for variable in variables]
        return element(
            "div",
            table(names, cells),
            class_="answer",
            role="region",
            aria_label="Answer",
            tabindex="0",
        )


def _form(query: str, timeout: str, graphs: Sequence[tuple[str, str]] = ()) -> Element:
    return element(
        "form",
        element("label", "Query", for_="query"),
        element(
            "textarea",
            f"\n{query}",  # the first newline is none of the text
            id="query",
            name="query",
            rows=str(min(max(query.count("\n") + 2, _FEWEST_LINES), _MOST_LINES)),
            spellcheck="false",
            autocapitalize="off",
            required="required",
        ),
        *(_dataset(name, graph) for name, graph in graphs),
        element(
            "p",
            *_formats(),
            element("label", "Time limit in seconds", for_="timeout"),
            element(
                "input",
                id="timeout",
                name="timeout",
                type="number",
                min="0.001",
                step="any",
                required="required",
                value=timeout,
            ),
            element("button", "Run", type="submit"),
            class_="controls",
        ),
        method="get",
    )


def _formats() -> tuple[Element, Element]:
    groups = (("Tables", _TABLES), ("Graphs", _GRAPHS))
    select = element(
        "select",
        element("option", "this page", value=PAGE),
        *(
            element(
                "optgroup",
                *(element("option", _name(name), value=name) for name in names),
                label=label,
            )
            for label, names in groups
        ),
        id="format",
        name="format",
    )
    return element("label", "Answer as", for_="format"), select


def _name(name: str) -> str:
    """Return what people call a format."""
    table_format, graph_format = FORMATS[name]
    found = table_format or graph_format
    return found.format.name.removeprefix("SPARQL Results in ") if found else name


def _dataset(name: str, graph: str) -> Element:
    """Show a graph of the dataset that replaces the query's own, and keep it for the next one."""
    kept = element("input", type="hidden", name=name, value=graph)
    return element("p", code(name), ": ", code(graph), kept, class_="soft")


def _downloads(what: str, operation: Operation, formats: Sequence[str]) -> Element:
    """Link to the whole answer in other formats."""
    asked = [("query", operation.query)]
    asked += [("default-graph-uri", graph) for graph in operation.default_graphs]
    asked += [("named-graph-uri", graph) for graph in operation.named_graphs]
    asked += [("timeout", f"{operation.timeout:g}")] if operation.timeout else []
    links: list[Content] = []
    for name in formats:
        address = f"?{urlencode([*asked, ('format', name)])}"
        if len(address) > _LONGEST_LINK:
            choose = f"{what} in another format: choose it above, and run the query again."
            return element("p", choose)
        links += [", " if links else " ", link(address, _name(name))]
    return element("p", f"{what} as", *links)


def _cut(what: str, operation: Operation, formats: Sequence[str]) -> Element:
    said = element("p", element("strong", what))
    return element("div", said, _downloads("The whole", operation, formats), class_="problem")


def _show_graph(body: bytes, operation: Operation, *, is_whole: bool) -> Iterator[Element]:
    yield element("h2", "Graph, in Turtle" if is_whole else "The beginning of a graph, in Turtle")
    if is_whole:
        yield _downloads("This graph", operation, _GRAPHS)
    else:
        body = body[: body.rfind(b"\n") + 1]
        yield _cut("This is not the whole graph: there are more triples.", operation, _GRAPHS)
    yield element("pre", f"\n{body.decode()}", tabindex="0", aria_label="Answer", role="region")


def _graphs(sizes: Sizes) -> Element:
    rows = (
        ([code(write_iri(graph.value, {})) if graph else "default graph"], [f"{int(triples):,}"])
        for graph, triples in sizes
    )
    return element("details", element("summary", "Graphs"), table(("Graph", "Triples"), rows))


def _prefixes(prefixes: Mapping[str, str]) -> Element:
    lines = "\n".join(f"PREFIX {name}: <{iri}>" for name, iri in prefixes.items())
    return element(
        "details",
        element("summary", "Prefixes"),
        element(
            "p", "A query names those that it uses. Relative IRIs are relative to ", code(BASE)
        ),
        element("pre", lines, tabindex="0"),
    )


def _example(example: Example) -> Element:
    address = f"?{urlencode({'query': example.query, 'format': PAGE})}"
    asks = element("span", example.asks, class_="soft")
    return element("li", link(address, example.title), element("br"), asks)
