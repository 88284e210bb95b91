"""What a run says of its progress."""

import math
import sys

import pytest

from dimco.training.history import EpochRecord
from dimco.training.progress import describe, print_epoch, progress_bar

PARTS = {"total": -1.5, "information": math.log(4), "dependence": 0.25}
RECORD = EpochRecord(3, 10, 0.01, PARTS, 2 * math.log(2), 1.26)


def test_an_epoch_is_a_line_with_the_loss_its_parts_and_the_information_in_bits():
    assert describe(RECORD) == "loss -1.500  dependence 0.250  I 2.000 bits  held out 2.000 bits"


def test_without_a_held_out_part_nothing_is_said_of_it():
    assert "held out" not in describe(EpochRecord(1, 1, 0.01, PARTS, None, 0.1))


def test_a_loss_without_information_and_with_validation_says_so():
    record = EpochRecord(1, 2, 0.01, {"total": 0.5}, None, 0.1, 0.625)
    assert describe(record) == "loss 0.500  validated 0.625"


def test_lines_go_to_standard_error(capsys):
    print_epoch(RECORD)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"epoch 3/10  {describe(RECORD)}  1.3 s\n"


@pytest.mark.parametrize("terminal", [False, True])
def test_there_is_a_bar_on_a_terminal_and_lines_elsewhere(terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with progress_bar() as on_epoch:
        on_epoch(RECORD)
        assert (on_epoch is print_epoch) == (not terminal)
    error = capsys.readouterr().err
    assert ("epoch 3/10" in error) or terminal
