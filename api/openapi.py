"""Describe by hand what the framework cannot see: /sparql, and one operation for each question."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyoxigraph import RdfFormat

from api.documentation import REQUEST, example, request, responses
from api.negotiation import FORMATS, GRAPHS, PAGE_TYPE, RESULTS, Offer
from api.operation import FORM, QUERY
from kg.queries import Parameter, Question, questions

_DATASET: Final = (
    ("default-graph-uri", "A graph of the default graph that replaces the query's; repeatable"),
    ("named-graph-uri", "A named graph of the dataset that replaces the query's; repeatable"),
)
# In the order of the page.
TAGS: Final = (
    {"name": "Questions", "description": "What runs where, and on whose word."},
    {"name": "Models", "description": "The checkpoints, and what is stated of each."},
    {"name": "SPARQL", "description": "Any question, in SPARQL 1.1."},
    {"name": "Service", "description": "The server itself."},
    {
        "name": "Stored questions",
        "description": "One operation for each; `/api/v1/ask` lists them for programs. "
        "A parameter that is left out has its default.",
    },
)
_EXAMPLES: Final = (
    "sparql-select",
    "sparql-ask",
    "sparql-select-xml",
    "sparql-select-csv",
    "sparql-select-tsv",
    "sparql-construct",
    "sparql-construct-ntriples",
    "sparql-construct-jsonld",
    "sparql-construct-rdfxml",
    "sparql-syntax-error",
    "sparql-service",
    "sparql-not-acceptable",
)
_SPARQL: Final = """Answer one SPARQL 1.1 query. The endpoint is read-only.

The default graph holds what is asserted now: the current release of every source, the curated
tables and the ontology. Derived statements and older releases are reached by `GRAPH` only.

`Accept` chooses the format: JSON, XML, CSV or TSV for SELECT and ASK (CSV and TSV for SELECT alone
by their specification), Turtle, N-Triples, JSON-LD or RDF/XML for CONSTRUCT and DESCRIBE (RDF/XML
cannot express every graph). A browser, and whoever says `format=html`, gets a page with a form. A
query that uses `SERVICE` is refused: no query leaves the machine."""

_FORMAT: Final[Mapping[str, Any]] = {
    "name": "format",
    "in": "query",
    "required": False,
    "description": "The format, for clients that cannot set Accept; `output` is the same",
    "schema": {"type": "string", "enum": [*FORMATS]},
    "example": "json",
}
_PAGE: Final = {"schema": {"type": "string", "description": "A page, for browsers"}}
_TIMEOUT: Final[Mapping[str, Any]] = {
    "name": "timeout",
    "in": "query",
    "required": False,
    "description": "Seconds in which the answer is to begin, if less than the server gives",
    "schema": {"type": "number", "minimum": 0.001, "maximum": 999_999},
    "example": 5,
}

# Of the kinds of values of a stored question; the others are names, which the graph knows.
_SCHEMAS: Final[Mapping[str, Mapping[str, Any]]] = {
    "count": {"type": "string", "pattern": "^[0-9]{1,9}$"},
    "date": {"type": "string", "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}|today(-[0-9]{1,3}d)?)$"},
}


def add_operations(description: dict[str, Any]) -> None:
    """Add the operations to an OpenAPI description, and to its examples the nulls that they lost.

    The framework leaves out every member that is null, in examples too.
    """
    for operation in (said for path in description["paths"].values() for said in path.values()):
        for response in operation["responses"].values():
            for content in response["content"].values():
                for name, shown in content.get("examples", {}).items():
                    shown["value"] = example(name)["body"]
    description["paths"] |= {"/sparql": {"get": _sparql_get(), "post": _sparql_post()}}
    description["paths"]["/graph-store"] = {"get": _graph_store()}
    description["paths"]["/.well-known/void"] = {"get": _void()}
    for question in questions().values():
        description["paths"][f"/api/v1/ask/{question.name}"] = {"get": _question(question)}


def _sparql_get() -> dict[str, Any]:
    query = {
        "name": "query",
        "in": "query",
        "required": True,
        "description": "The query",
        "schema": {"type": "string"},
        "example": example("sparql-select")["request"]["query"]["query"],
    }
    return {
        "tags": ["SPARQL"],
        "operationId": "sparql_get",
        "summary": "Query by GET",
        "description": _SPARQL,
        "parameters": [query, *_dataset_parameters(), _FORMAT, _TIMEOUT],
        "responses": _sparql_responses("get"),
    }


def _graph_store() -> dict[str, Any]:
    described = responses("The graph", "graph-store", "graph-store-absent")
    of_graphs = [name for name, (_, graph) in FORMATS.items() if graph]
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": meaning,
            "schema": {"type": "string"},
            "example": example_,
        }
        for name, meaning, example_ in (
            ("graph", "The IRI of a named graph", _graph_of("graph-store")),
            ("default", "The default graph; its value does not matter", ""),
        )
    ]
    return {
        "tags": ["SPARQL"],
        "operationId": "graph_store_get",
        "summary": "Read one graph",
        "description": "SPARQL 1.1 Graph Store HTTP Protocol, the read side. Give `graph` or "
        "`default`; an address below this one names the graph that has it as its IRI.",
        "parameters": [*parameters, {**_FORMAT, "schema": {"type": "string", "enum": of_graphs}}],
        "responses": _in_all_formats(described, GRAPHS),
    }


def _in_all_formats(
    described: Mapping[int | str, dict[str, Any]], offers: Sequence[Offer[Any]]
) -> dict[str, Any]:
    """Add the formats of an answer that no example shows; JSON-LD is a list of nodes."""
    found = {str(status): said for status, said in described.items()}
    for offer in offers:
        kind = "array" if offer.format == RdfFormat.JSON_LD else "string"
        found["200"]["content"].setdefault(offer.media_type, {"schema": {"type": kind}})
    return found


def _void() -> dict[str, Any]:
    described = responses("The catalog", "void")
    return {
        "tags": ["SPARQL"],
        "operationId": "void_get",
        "summary": "The catalog of the graph",
        "description": "VoID and DCAT: each source and release, each named graph with its number "
        "of triples, and what was derived from what, as the build wrote it.",
        "responses": _in_all_formats(described, GRAPHS),
    }


def _graph_of(name: str) -> str:
    graph: str = example(name)["request"]["query"]["graph"]
    return graph


def _sparql_post() -> dict[str, Any]:
    form = {
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": {"type": "string", "description": "The query"},
            **{
                name: {"type": "array", "items": {"type": "string"}, "description": meaning}
                for name, meaning in _DATASET
            },
            "format": {**_FORMAT["schema"], "description": _FORMAT["description"]},
            "timeout": {**_TIMEOUT["schema"], "description": _TIMEOUT["description"]},
        },
    }
    query = example("sparql-select")["request"]["query"]["query"]
    return {
        "tags": ["SPARQL"],
        "operationId": "sparql_post",
        "summary": "Query by POST",
        "description": f"{_SPARQL}\n\nThe query is the body itself, or a parameter of a form; a "
        "body holds at most 1 MiB, unless the server is told otherwise.",
        "parameters": [*_dataset_parameters(), _FORMAT, _TIMEOUT],
        "requestBody": {
            "required": True,
            "description": "The query, in UTF-8",
            "content": {
                QUERY: {"schema": {"type": "string"}, "example": query},
                FORM: {"schema": form, "example": {"query": query}},
            },
        },
        "responses": _sparql_responses("post"),
    }


def _dataset_parameters() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": meaning,
            "schema": {"type": "array", "items": {"type": "string", "format": "uri"}},
            "example": example("sparql-graphs")["request"]["query"][name],
        }
        for name, meaning in _DATASET
    ]


def _sparql_responses(method: str) -> dict[str, Any]:
    described = responses("The answer", *_EXAMPLES, method=method)
    answered = described[200]["content"]
    answered |= {"application/json": {"schema": {"type": "object"}}, PAGE_TYPE: _PAGE}
    return _in_all_formats(described, (*RESULTS, *GRAPHS))


def _question(question: Question) -> dict[str, Any]:
    columns = "\n".join(f"- `{name}`: {meaning}" for name, meaning in question.columns)
    return {
        "tags": ["Stored questions"],
        "operationId": f"ask_{question.name}",
        "summary": question.title,
        "description": f"{question.asks}\n\nColumns of a row:\n\n{columns}",
        "parameters": [_parameter(parameter) for parameter in question.parameters],
        "responses": _question_responses(question.name),
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    needed = parameter.default is None
    schema = dict(_SCHEMAS.get(parameter.kind, {"type": "string"}))
    if not needed:
        schema["default"] = parameter.default
    return {
        "name": parameter.name,
        "in": "query",
        "required": needed,
        "description": f"{parameter.meaning} (a {parameter.kind})",
        "schema": schema,
        "example": parameter.default or "",
    }


def _question_responses(name: str) -> dict[str, Any]:
    described = {
        str(status): said
        for status, said in responses("", "unknown-value", "unknown-parameter").items()
    }
    first: Mapping[str, Sequence[Any]] = example("questions")[name]
    shown = {
        "summary": "By default values; its first two rows",
        "value": first,
        REQUEST: request({"path": f"/api/v1/ask/{name}"}),
    }
    described["200"] = {
        "description": "The rows, in order",
        "headers": described["default"]["headers"],
        "content": {
            "application/json": {"schema": {"type": "object"}, "examples": {name: shown}},
        },
    }
    return described
