"""The interface fuzzed from its own OpenAPI description."""

from __future__ import annotations

import httpx
import pytest

schemathesis = pytest.importorskip("schemathesis", reason="fuzzing the web explorer needs schemathesis")

from hypothesis import HealthCheck, given, settings  # noqa: E402

EXAMPLES = 20
VALID, INVALID = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
PLAIN = ["/api/about", "/api/accuracy", "/ready", "/metrics"]
WITH_PARAMETERS = [
    "GET /api/map",
    "GET /api/symbol/{position}/{symbol}",
    "GET /api/combine",
    "GET /api/items",
    "GET /api/picture/{item}",
    "GET /api/item/{item}",
    "POST /api/query/vector",
    "POST /api/query/picture",
]
CASES = [(f"GET {path}", VALID) for path in PLAIN]
CASES += [(label, mode) for label in WITH_PARAMETERS for mode in (VALID, INVALID)]
# A request that fits the description may still be refused: an item with that id need not be there.
EXCLUDED = ["positive_data_acceptance"]


@pytest.fixture(scope="session")
def operations(address):
    described = schemathesis.openapi.from_url(f"{address}/openapi.json")
    return {found.ok().label: found.ok() for found in described.get_all_operations()}


@pytest.mark.parametrize(("label", "mode"), CASES)
def test_every_route_answers_as_described_and_never_fails(operations, label, mode):
    excluded = schemathesis.checks.CHECKS.get_by_names(EXCLUDED)
    operation = operations[label]

    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def answers(case):
        response = case.call()
        assert response.status_code < 500
        if response.status_code >= 400:
            assert list(response.json()) == ["error"]
            assert "\n" not in response.json()["error"]
        case.validate_response(response, excluded_checks=excluded)

    answers()


def test_the_description_names_every_route_and_its_errors(address):
    paths = httpx.get(f"{address}/openapi.json").json()["paths"]
    assert len(paths) == 12
    for path, methods in paths.items():
        if path.startswith("/api/"):
            for operation in methods.values():
                assert {"200", "401", "404", "413", "422"} <= set(operation["responses"])
