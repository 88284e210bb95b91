"""The README's snippets run as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dimco.cli.app import run
from dimco.experiments.demo import run_demo
from dimco.spec import CodeSpec

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_python_snippets_run(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "README.md", "exec"), {})


def test_commands_run_on_what_the_demo_leaves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_demo("dimco-demo", specs=[CodeSpec(16, 4)])
    commands = re.findall(r"^dimco .*$", README, re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        assert run(shlex.split(command, comments=True)[1:]) == 0, command


def test_the_file_map_names_what_is_there():
    root = Path(__file__).parents[1]
    table = README.partition("## Where things are")[2].partition("\n## ")[0]
    for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE):
        first, *others = re.findall(r"`(.+?)`", cell)
        for path in (root / first, *((root / first).parent / name for name in others)):
            assert path.exists(), f"{path} is in the README's file map"
