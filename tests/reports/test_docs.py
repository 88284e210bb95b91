"""Tables between the marks of a document."""

from __future__ import annotations

import json

import pytest

from dimco.errors import InputError, MissingFileError
from dimco.reports.docs import plain_view, rendered

VIEWS = {"plain": plain_view}
MARKED = "before\n<!-- table: plain from a.json -->\nold\n<!-- end of table -->\nafter\n"


def test_only_what_is_between_the_marks_changes(tmp_path):
    results = {"columns": {"bits": "bits", "value": "top-1"}, "rows": [{"bits": 16, "value": 58.25, "seed": 3}]}
    (tmp_path / "a.json").write_text(json.dumps(results))
    text = rendered(MARKED, tmp_path, VIEWS)
    assert text.startswith("before\n<!-- table: plain from a.json -->\n")
    assert text.endswith("<!-- end of table -->\nafter\n")
    assert "58.25" in text
    assert "old" not in text
    assert "seed" not in text
    assert rendered(text, tmp_path, VIEWS) == text


def test_unknown_views_and_missing_results_are_named(tmp_path):
    with pytest.raises(MissingFileError, match=r"no such results file: .*a\.json"):
        rendered(MARKED, tmp_path, VIEWS)
    with pytest.raises(InputError, match="expected a table view of plain; got 'fancy'"):
        rendered(MARKED.replace("plain", "fancy"), tmp_path, VIEWS)
