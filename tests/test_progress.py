"""Progress where there is no terminal, and on one."""

from __future__ import annotations

import sys

import pytest

from dimco.progress import items_bar


def test_lines_come_a_tenth_apart(capsys):
    with items_bar(2_000, "images") as done:
        for count in range(0, 2_001, 50):
            done(count)
    lines = capsys.readouterr().err.splitlines()
    assert (len(lines), lines[0], lines[-1]) == (10, "200 of 2,000 images", "2,000 of 2,000 images")


@pytest.mark.parametrize("total", [1, 3])
def test_a_few_items_are_a_line_each(capsys, total):
    with items_bar(total, "images") as done:
        for count in range(1, total + 1):
            done(count)
    assert len(capsys.readouterr().err.splitlines()) == total


def test_a_terminal_gets_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with items_bar(4, "images") as done:
        done(4)
    assert "4/4" in capsys.readouterr().err
