"""Tables in the docs say what the results files say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dimco.errors import InputError, MissingFileError
from dimco.reports.docs import VIEWS, documents, main, rendered

ROOT = Path(__file__).parents[2]
MARKED = "before\n<!-- table: plain from a.json -->\nold\n<!-- end of table -->\nafter\n"


@pytest.mark.parametrize("document", documents(ROOT), ids=lambda path: path.name)
def test_the_documents_are_what_their_results_render_to(document):
    text = document.read_text(encoding="utf-8")
    assert rendered(text, ROOT, VIEWS) == text, "run: make docs"


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


def test_main_rewrites_the_documents_of_the_current_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.json").write_text(json.dumps({"columns": {"bits": "bits"}, "rows": [{"bits": 16}]}))
    (tmp_path / "README.md").write_text(MARKED)
    monkeypatch.chdir(tmp_path)
    main()
    assert capsys.readouterr().out == "rendered README.md\n"
    main()
    assert capsys.readouterr().out == "", "nothing is left to render"
