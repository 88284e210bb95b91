import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimco.errors import InputError
from dimco.spec import MAX_D, MAX_K, CodeSpec

specs = st.builds(CodeSpec, st.integers(2, MAX_K), st.integers(1, MAX_D))


@given(specs)
def test_bits_per_symbol_is_the_smallest_width_that_holds_every_symbol(spec):
    width = spec.bits_per_symbol
    assert 2 ** (width - 1) < spec.k <= 2**width
    assert spec.bits == spec.d * width


@given(specs)
def test_text_reads_back_as_the_same_spec(spec):
    assert CodeSpec.parse(f" {spec} ") == spec


@pytest.mark.parametrize("k", [2, 255, 256, 257, MAX_K])
def test_dtype_is_the_smallest_that_holds_the_last_symbol(k):
    assert CodeSpec(k, 1).dtype == np.min_scalar_type(k - 1)


def test_capacity_counts_codewords_exactly():
    assert CodeSpec(3, 4).capacity == 81
    assert CodeSpec(256, 64).capacity == 2**512


def test_information_limit_is_the_log_of_the_capacity():
    assert CodeSpec(10, 7).information_limit == pytest.approx(math.log2(10**7))


def test_ratio_compares_with_vectors_of_the_given_precision():
    spec = CodeSpec(16, 4)
    assert spec.ratio(64) == 64 * 32 / 16
    assert spec.ratio(64, bits_per_feature=16) == 64 * 16 / 16


def test_numpy_integers_become_python_integers():
    spec = CodeSpec(np.int64(8), np.uint8(2))
    assert type(spec.k) is int
    assert type(spec.d) is int
    assert spec == CodeSpec(8, 2)
    assert hash(spec) == hash(CodeSpec(8, 2))


@pytest.mark.parametrize(("k", "d"), [(2, 1), (MAX_K, MAX_D)])
def test_limits_are_allowed(k, d):
    assert str(CodeSpec(k, d)) == f"{k}x{d}"


@pytest.mark.parametrize(
    ("k", "d"), [(1, 1), (MAX_K + 1, 1), (2, 0), (2, MAX_D + 1), (-2, 1), (2.0, 1), ("4", 1), (True, 1), (4, None)]
)
def test_values_out_of_range_or_not_integers_are_refused(k, d):
    with pytest.raises(InputError, match=r"expected [kd]"):
        CodeSpec(k, d)


@pytest.mark.parametrize("text", ["", "16", "16x", "x4", "16x4x2", "16X4", "-16x4", "1.5x4", "16 x 4"])
def test_text_of_another_form_is_refused(text):
    with pytest.raises(InputError, match="16x4"):
        CodeSpec.parse(text)


def test_a_spec_cannot_be_changed():
    with pytest.raises(AttributeError):
        CodeSpec(4, 2).k = 8
