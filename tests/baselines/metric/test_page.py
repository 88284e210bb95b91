"""The snippets of docs/metric-learning.md run as they stand."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "docs" / "metric-learning.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_python_snippets_run(snippet):
    exec(compile(snippet, "metric-learning.md", "exec"), {})
