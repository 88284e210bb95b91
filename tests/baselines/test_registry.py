"""The quantizers by name, and which codes they make."""

import itertools

import numpy as np
import pytest

from dimco.baselines import QUANTIZERS, Quantizer, make_quantizer, why_not
from dimco.errors import InputError
from dimco.spec import CodeSpec


def test_quantizers_are_listed_by_their_names_in_results():
    specs = {"itq": CodeSpec(2, 4), "sign": CodeSpec(2, 4), "int8": CodeSpec(256, 6)}
    assert list(QUANTIZERS) == ["sq", "pq", "opq", "rq", "lsq", "itq", "sign", "int8", "lda-pq"]
    for name in QUANTIZERS:
        quantizer = make_quantizer(name, specs.get(name, CodeSpec(4, 2)), seed=5)
        assert isinstance(quantizer, Quantizer)
        assert quantizer.name == name
        assert getattr(quantizer, "seed", 5) == 5


@pytest.mark.parametrize("name", QUANTIZERS)
def test_a_code_is_refused_beforehand_just_when_it_cannot_be_made(name, blobs):
    ks, ds = (2, 3, 4, 256), (1, 2, 3, 5, 6, 7)
    x, y = np.tile(blobs.x, (5, 1)), np.tile(blobs.labels, 5)
    specs = [CodeSpec(k, d) for k, d in itertools.product(ks, ds) if (k, name) != (256, "lsq")]
    made = 0
    for spec in specs:
        reason = why_not(name, spec, features=6, classes=3)
        if reason is None:
            codes = make_quantizer(name, spec).fit(x, y).encode(x)
            assert codes.spec == spec
            made += 1
        else:
            with pytest.raises(InputError) as caught:
                make_quantizer(name, spec).fit(x, y)
            assert str(caught.value) == reason
    assert 0 < made <= len(specs)


def test_reasons_say_what_was_expected_and_what_came():
    assert why_not("pq", CodeSpec(16, 4), 64) is None
    assert why_not("itq", CodeSpec(16, 4), 64) == "expected k = 2 for a binary code; got 16"
    assert why_not("pq", CodeSpec(4, 65), 64) == "expected at most 64 positions for 64 features; got 65"
    assert why_not("rq", CodeSpec(4, 65), 64) is None
    assert why_not("lda-pq", CodeSpec(16, 16), 64) is None
    assert "at most 9 positions for 9 discriminants; got 16" in why_not("lda-pq", CodeSpec(16, 16), 64, classes=10)


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match=r"expected a quantizer among sq, pq, .*; got 'hnsw'"):
        make_quantizer("hnsw", CodeSpec(4, 2))
