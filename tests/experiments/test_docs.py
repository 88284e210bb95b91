"""Tables in the docs say what the results files say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dimco.experiments.docs import VIEWS, main
from dimco.reports.docs import documents, rendered

ROOT = Path(__file__).parents[2]
MARKED = "before\n<!-- table: plain from a.json -->\nold\n<!-- end of table -->\nafter\n"


@pytest.mark.parametrize("document", documents(ROOT), ids=lambda path: path.name)
def test_the_documents_are_what_their_results_render_to(document):
    text = document.read_text(encoding="utf-8")
    assert rendered(text, ROOT, VIEWS) == text, "run: make docs"


def test_main_rewrites_the_documents_of_the_current_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.json").write_text(json.dumps({"columns": {"bits": "bits"}, "rows": [{"bits": 16}]}))
    (tmp_path / "README.md").write_text(MARKED)
    monkeypatch.chdir(tmp_path)
    main()
    assert capsys.readouterr().out == "rendered README.md\n"
    main()
    assert capsys.readouterr().out == "", "nothing is left to render"
