import json
import math

import pytest

from dimco.training import EpochRecord

RECORD = EpochRecord(2, 5, 0.01, {"total": -1.0, "information": math.log(8)}, math.log(4), 1.5)


def test_information_is_read_in_bits():
    assert RECORD.information_bits == pytest.approx(3)
    assert RECORD.held_out_bits == pytest.approx(2)


def test_without_a_held_out_part_there_are_no_bits_of_it():
    assert EpochRecord(1, 5, 0.01, {"information": 0.0}, None, 1.5).held_out_bits is None


def test_the_record_is_json_and_builds_the_epoch_again():
    assert EpochRecord(**json.loads(json.dumps(RECORD.as_record()))) == RECORD
