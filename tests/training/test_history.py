import json
import math

import pytest

from dimco.training import EpochRecord
from dimco.training.history import learning_curve

RECORD = EpochRecord(2, 5, 0.01, {"total": -1.0, "information": math.log(8)}, math.log(4), 1.5)


def test_information_is_read_in_bits():
    assert RECORD.information_bits == pytest.approx(3)
    assert RECORD.held_out_bits == pytest.approx(2)


def test_without_a_held_out_part_there_are_no_bits_of_it():
    assert EpochRecord(1, 5, 0.01, {"information": 0.0}, None, 1.5).held_out_bits is None


def test_an_objective_that_measures_no_information_has_no_bits_of_it():
    record = EpochRecord(1, 2, 0.1, {"total": 2.0}, None, 3.0)
    assert record.information_bits is None
    assert learning_curve([record])[0]["information_bits"] is None


def test_the_score_is_the_validation_or_else_the_held_out_information():
    assert RECORD.score == math.log(4)
    assert EpochRecord(1, 2, 0.1, {"total": 2.0}, None, 3.0, 0.0).score == 0.0
    assert EpochRecord(1, 2, 0.1, {"total": 2.0}, None, 3.0).score is None


def test_the_record_is_json_and_builds_the_epoch_again():
    assert EpochRecord(**json.loads(json.dumps(RECORD.as_record()))) == RECORD


def test_a_learning_curve_is_a_record_an_epoch_without_times():
    records = [
        EpochRecord(1, 2, 0.1, {"total": 2.0, "information": math.log(2)}, None, 3.0),
        EpochRecord(2, 2, 0.1, {"total": 1.0, "information": 2 * math.log(2)}, math.log(4), 3.0),
    ]
    assert learning_curve(records) == [
        {"epoch": 1, "loss": 2.0, "information_bits": 1.0, "held_out_bits": None},
        {"epoch": 2, "loss": 1.0, "information_bits": 2.0, "held_out_bits": 2.0},
    ]
