"""The examples of the HTTP interface are what it answers.

A failure here after a change of data or queries: look at the difference, then run
``python -m tests.api_examples``.
"""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from kg.backend import StoreBackend
from tests import api_examples


@pytest.fixture(scope="module")
def http(backend: StoreBackend) -> Iterator[TestClient]:
    with api_examples.client(backend) as client:
        yield client


@pytest.mark.parametrize("name", api_examples.names())
def test_example(http: TestClient, name: str) -> None:
    written = api_examples.read(name)
    assert api_examples.answer(http, written) == written


def test_first_rows_of_every_stored_question(http: TestClient) -> None:
    assert api_examples.answer_questions(http) == api_examples.read(api_examples.QUESTIONS)
