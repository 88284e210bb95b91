"""The snippets of docs/training.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_snippets_run(snippet):
    exec(compile(snippet, "training.md", "exec"), {})
