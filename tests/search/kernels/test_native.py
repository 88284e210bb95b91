"""Every kernel against a slow search: the same ids and the same bits, whatever the table, the codes and the threads."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimco import CodeSpec
from dimco.search.kernels import available_kernels, native, scan
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment

K = [2, 3, 4, 5, 16, 17, 32, 33, 64, 65, 128, 129, 256, 300, 65_536]
D = [1, 2, 3, 5, 16, 63, 64, 100, 257, 300, 1_025, 4_096]
ROWS = [0, 1, 63, 64, 65, 1_000, 1_024, 2_500, 5_000]
MOST_SYMBOLS = 1 << 19

pytestmark = pytest.mark.usefixtures("native_library")


def normal(rng, k):
    return rng.normal(size=k)


def peaked(rng, k):
    logits = 12 * rng.normal(size=k)
    return logits - np.logaddexp.reduce(logits)


def huge(rng, k):
    return rng.choice([3e38, -3e38, 1e30, 0.0, -1.0], k)


def huge_beside_tiny(rng, k):
    return rng.choice([3e38, 1e-45, -1e-45, 0.0], k)


def at_the_edge_of_float_steps(rng, k):
    """Ranges that are counted in float32 at some positions and at others are too large for it."""
    return rng.choice([2.0**125, 2.0**119, -(2.0**125), 0.0], k) * rng.choice([1.0, 1.5, 1e-10])


def denormal(rng, k):
    return rng.integers(-5, 6, k) * 1e-45


def equal(rng, k):
    return np.full(k, rng.choice([0.0, -0.0, -2.5, 3e38, 1e-45]))


def some_minus_infinity(rng, k):
    return np.where(rng.random(k) < 0.4, -np.inf, rng.normal(size=k))


def all_minus_infinity(rng, k):
    return np.full(k, -np.inf)


def at_the_rounding_edge(rng, k):
    """Sums of these differ by about the last bit of a double."""
    return rng.choice([2.0**30, 2.0**30 + 2.0**7, 2.0**-22, 2.0**-23, -(2.0**-23), 3 * 2.0**-24], k)


def few_values(rng, k):
    return rng.integers(-1, 1, k).astype(float)


POSITIONS = [
    normal,
    peaked,
    huge,
    huge_beside_tiny,
    at_the_edge_of_float_steps,
    denormal,
    equal,
    some_minus_infinity,
    at_the_rounding_edge,
    few_values,
]


def draw_tables(rng, kinds, queries, spec):
    tables = np.empty((queries, spec.d, spec.k), dtype=np.float32)
    for table in tables:
        for position in range(spec.d):
            table[position] = kinds[position % len(kinds)](rng, spec.k)
    return tables


def draw_codes(rng, kind, rows, spec, tables):
    symbols = rng.integers(0, spec.k, (rows, spec.d))
    if kind == "few codewords" and rows:
        symbols = symbols[rng.integers(0, min(rows, 7), rows)]
    elif kind == "near the best" and len(tables):
        symbols = np.where(rng.random(symbols.shape) < 0.9, tables[0].argmax(axis=1), symbols)
    elif kind == "worst first" and len(tables):
        with np.errstate(invalid="ignore"):
            scores = sum(tables[0, i].astype(float)[symbols[:, i]] for i in range(spec.d))
        symbols = symbols[np.argsort(scores, kind="stable")] if rows else symbols
    return symbols.astype(spec.dtype)


@st.composite
def searches(draw):
    k, d = draw(st.sampled_from(K)), draw(st.sampled_from(D))
    while k * d > MOST_SYMBOLS:
        d = D[D.index(d) - 1]
    spec = CodeSpec(k, d)
    rows = min(draw(st.sampled_from(ROWS) | st.integers(0, 3_000)), MOST_SYMBOLS // d)
    return {
        "spec": spec,
        "rows": rows,
        "queries": draw(st.sampled_from([1, 1, 2, 3])) if k * d <= 1 << 16 else 1,
        "n": draw(st.sampled_from([1, 2, 10, 100, rows, rows + 5]) | st.integers(1, 50)),
        "kinds": draw(st.lists(st.sampled_from(POSITIONS), min_size=1, max_size=3)),
        "codes": draw(st.sampled_from(["uniform", "few codewords", "near the best", "worst first"])),
        "cuts": draw(st.lists(st.integers(0, rows), max_size=2)),
        "unsorted_ids": draw(st.booleans()),
        "kept": draw(st.sampled_from([None, None, 0.0, 0.01, 0.5, 0.95])),
        "seed": draw(st.integers(0, 1 << 30)),
    }


def build(case, segment_of):
    """The segments of a case, its tables, and the symbols and ids that may be returned."""
    rng = np.random.default_rng(case["seed"])
    spec, rows = case["spec"], case["rows"]
    tables = draw_tables(rng, case["kinds"], case["queries"], spec)
    symbols = draw_codes(rng, case["codes"], rows, spec, tables)
    ids = rng.permutation(3 * rows + 3)[:rows] - 7 if case["unsorted_ids"] else np.arange(rows) + 11
    keep = np.ones(rows, dtype=bool) if case["kept"] is None else rng.random(rows) < case["kept"]
    cuts = [0, *sorted(case["cuts"]), rows]
    segments = [
        segment_of(
            spec,
            symbols[start:stop],
            ids[start:stop] if case["unsorted_ids"] else start + 11,
            None if case["kept"] is None else keep[start:stop],
            rest=start % 2 == 0,
        )
        for start, stop in itertools.pairwise(cuts)
    ]
    return segments, tables, symbols[keep], ids[keep]


@given(case=searches())
@settings(max_examples=300)
def test_every_kernel_and_thread_count_gives_the_slow_answer(case, segment_of, exact_search, assert_identical):
    segments, tables, symbols, ids = build(case, segment_of)
    expected = exact_search(symbols, ids, tables, case["n"])
    layout = Layout(case["spec"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "_BYTES_A_THREAD", 1)
        for kernel, small in itertools.product(available_kernels(), (0, native.SMALL_SEARCH)):
            patch.setattr(native, "SMALL_SEARCH", small)
            for threads in (1, 2):
                found = scan(layout, segments, tables, case["n"], kernel=kernel, threads=threads)
                assert_identical(found, expected)


@given(
    kinds=st.lists(st.sampled_from([*POSITIONS, all_minus_infinity]), min_size=1, max_size=4),
    k=st.sampled_from([2, 4, 5, 33, 100, 200]),
    d=st.integers(1, 70),
    n=st.integers(1, 40),
    codes=st.sampled_from(["uniform", "few codewords", "near the best", "worst first"]),
    seed=st.integers(0, 1 << 30),
)
@settings(max_examples=300)
def test_adversarial_tables_do_not_defeat_the_bound(
    kinds, k, d, n, codes, seed, segment_of, exact_search, assert_identical
):
    rng = np.random.default_rng(seed)
    spec, rows = CodeSpec(k, d), 3_000
    tables = draw_tables(rng, kinds, 2, spec)
    symbols = draw_codes(rng, codes, rows, spec, tables)
    expected = exact_search(symbols, np.arange(rows), tables, n)
    for kernel in native.usable_kernels():
        found = scan(Layout(spec), [segment_of(spec, symbols)], tables, n, kernel=kernel, threads=1)
        assert_identical(found, expected)


@pytest.mark.parametrize("k", [2, 4, 16, 64, 128, 256])
@pytest.mark.parametrize("d", [16, 500, 4_096])
def test_few_items_are_scored_exactly(k, d, rng, segment_of):
    """The filters do their work: without one, every item would be scored."""
    spec, rows = CodeSpec(k, d), 6_000
    symbols = rng.integers(0, k, (rows, d), dtype=np.uint8)
    table = rng.normal(size=(1, d, k)).astype(np.float32)
    segments = [segment_of(spec, symbols)]
    for kernel in native.usable_kernels():
        scored = native.scan_native(kernel, Layout(spec), segments, table, 10, 1).scored
        assert scored == rows if kernel == "portable" else scored < rows / 4


def test_sorted_codes_are_no_slower_than_shuffled_ones(rng, segment_of):
    """With the worst codes first nearly every item beats those before it; a sample says early what is worth it."""
    spec, rows = CodeSpec(16, 16), 50_000
    table = rng.normal(size=(1, 16, 16)).astype(np.float32)
    symbols = draw_codes(rng, "worst first", rows, spec, table)
    for kernel in native.usable_kernels()[:-1]:
        found = native.scan_native(kernel, Layout(spec), [segment_of(spec, symbols)], table, 10, 1)
        assert found.scored < rows / 10


@pytest.mark.parametrize("threads", [1, 3])
def test_with_a_floor_the_best_that_reach_it_are_found_and_fewer_are_scored(
    threads, rng, segment_of, exact_search, monkeypatch
):
    monkeypatch.setattr(native, "SMALL_SEARCH", 0)
    spec, rows = CodeSpec(16, 9), 30_000
    symbols = rng.integers(0, 16, (rows, 9), dtype=np.uint8)
    table = np.round(rng.normal(size=(1, 9, 16)), 1).astype(np.float32)
    segments = [segment_of(spec, symbols)]
    ids, scores = exact_search(symbols, np.arange(rows), table, 40)
    for kernel in native.usable_kernels():
        freely = native.scan_native(kernel, Layout(spec), segments, table, 40, threads)
        for place in (0, 4, 39):
            reached = int((scores[0] >= scores[0, place]).sum())
            found = native.scan_native(kernel, Layout(spec), segments, table, 40, threads, scores[0, place])
            np.testing.assert_array_equal(found.ids[0, :reached], ids[0, :reached])
            assert (found.scores[0] >= scores[0, place]).all()
            assert found.scored <= freely.scored
        assert native.scan_native(kernel, Layout(spec), segments, table, 40, threads, 1e9).ids.shape == (1, 0)


def test_segments_described_once_are_searched_as_if_given_again(rng, segment_of, exact_search, assert_identical):
    spec = CodeSpec(5, 7)
    symbols = rng.integers(0, 5, (1_200, 7)).astype(np.uint8)
    described = native.Described([segment_of(spec, symbols[at : at + 300], at) for at in range(0, 1_200, 300)])
    table = rng.normal(size=(1, 7, 5)).astype(np.float32)
    rows = np.concatenate([np.arange(900, 1_200), np.arange(300, 600)])
    expected = exact_search(symbols[rows], rows, table, 20)
    for kernel in native.usable_kernels():
        found = native.scan_native(kernel, Layout(spec), described.some(np.array([3, 1])), table, 20, 1)
        assert_identical((found.ids, found.scores), expected)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("queries", [1, 15, 16, 129, 300])
def test_queries_and_rows_are_split_without_a_trace(
    threads, queries, rng, segment_of, exact_search, assert_identical, monkeypatch
):
    monkeypatch.setattr(native, "_BYTES_A_THREAD", 1)
    monkeypatch.setattr(native, "SMALL_SEARCH", 0)
    spec, rows = CodeSpec(5, 7), 1_200
    symbols = rng.integers(0, 5, (rows, 7)).astype(np.uint8)
    tables = rng.integers(-3, 1, (queries, 7, 5)).astype(np.float32)
    expected = exact_search(symbols, np.arange(rows), tables, 20)
    segments = [segment_of(spec, symbols[:500]), segment_of(spec, symbols[500:], 500)]
    assert_identical(scan(Layout(spec), segments, tables, 20, threads=threads), expected)


def test_a_small_search_scores_few_items_exactly(rng, segment_of, exact_search, assert_identical):
    """About those with the n best scores: it knows the sums of all before it scores any."""
    spec, rows = CodeSpec(64, 64), 6_000
    symbols = rng.integers(0, 64, (rows, 64)).astype(np.uint8)
    tables = rng.normal(size=(7, 64, 64)).astype(np.float32)
    segments = [segment_of(spec, symbols[:1_000]), segment_of(spec, symbols[1_000:], 1_000)]
    expected = exact_search(symbols, np.arange(rows), tables, 10)
    for kernel in native.usable_kernels()[:-1]:
        found = native.scan_native(kernel, Layout(spec), segments, tables, 10, 1)
        assert_identical((found.ids, found.scores), expected)
        assert found.scored < 40 * len(tables)


def test_a_small_search_counts_again_in_finer_steps_where_good_items_lose_little(rng, segment_of, exact_search):
    """Tables of wide range, as trained ones are: steps as large as the range asks for could not tell these apart."""
    spec, rows = CodeSpec(64, 32), 6_000
    centre = rng.integers(0, 64, 32)
    symbols = rng.integers(0, 64, (rows, 32)).astype(np.uint8)
    tables = rng.uniform(-200, -100, (5, 32, 64)).astype(np.float32)
    tables[:, np.arange(32), centre] = -rng.uniform(0, 1, (5, 32))
    tables[:, np.arange(32), (centre + 1) % 64] = -rng.uniform(1, 2, (5, 32))
    symbols[:3_000] = np.where(rng.random((3_000, 32)) < 0.5, centre, (centre + 1) % 64)
    expected = exact_search(symbols, np.arange(rows), tables, 10)
    for kernel in native.usable_kernels()[:-1]:
        found = native.scan_native(kernel, Layout(spec), [segment_of(spec, symbols)], tables, 10, 1)
        np.testing.assert_array_equal(found.ids, expected[0])
        np.testing.assert_array_equal(found.scores, expected[1])
        assert found.scored < 300 * len(tables)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("queries", [1, 3, 4, 5, 11, 40])
def test_queries_of_a_small_search_are_answered_some_at_a_time_without_a_trace(
    threads, queries, rng, segment_of, exact_search, assert_identical, monkeypatch
):
    monkeypatch.setattr(native, "SMALL_SEARCH", 3 * 900 * 9)
    monkeypatch.setattr(native, "_BYTES_A_THREAD", 1)
    spec, rows = CodeSpec(33, 9), 900
    symbols = rng.integers(0, 33, (rows, 9)).astype(np.uint8)
    tables = np.round(rng.normal(size=(queries, 9, 33)), 1).astype(np.float32)
    tables[queries // 2, 4] = -np.inf
    segments = [segment_of(spec, symbols[:70]), segment_of(spec, symbols[70:], 70)]
    expected = exact_search(symbols, np.arange(rows), tables, 20)
    for kernel in native.usable_kernels():
        assert_identical(scan(Layout(spec), segments, tables, 20, kernel=kernel, threads=threads), expected)


def test_plans_cover_every_query_and_every_part_once():
    for queries in (1, 5, 128, 129, 1_000):
        for threads in (1, 2, 3, 8):
            jobs = native.plan(queries, threads).all
            parts = jobs[0].parts
            covered = [(query, job.part) for job in jobs for query in range(job.first, job.last)]
            assert sorted(covered) == [(query, part) for query in range(queries) for part in range(parts)]
            assert len(jobs) % threads == 0


def test_memory_need_not_be_aligned_contiguous_or_writable(rng, segment_of, assert_identical):
    spec = CodeSpec(64, 9)
    symbols = rng.integers(0, 64, (300, 9)).astype(np.uint8)
    tables = rng.normal(size=(2, 9, 64)).astype(np.float32)
    plain = segment_of(spec, symbols, np.arange(300), np.ones(300, dtype=bool))
    shifted = np.zeros(len(plain.blocks) + 3, dtype=np.uint8)
    shifted[3:] = plain.blocks
    shifted.setflags(write=False)
    odd = type(plain)(shifted[3:], 300, np.repeat(np.arange(300), 2)[::2], np.repeat(plain.keep, 2)[::2])
    assert_identical(scan(Layout(spec), [odd], tables[::-1], 5), scan(Layout(spec), [plain], tables[::-1].copy(), 5))


@pytest.mark.parametrize("code", ["3x5", "9x4", "20x4", "70x4", "200x4", "300x4"])
def test_damaged_codes_do_not_make_a_kernel_read_outside_the_tables(code, rng):
    spec = CodeSpec.parse(code)
    layout = Layout(spec)
    blocks = np.full(layout.nbytes(128), 255, dtype=np.uint8)
    segment = ScanSegment(blocks, 128, 0)
    tables = rng.normal(size=(1, spec.d, spec.k)).astype(np.float32)
    for kernel in native.usable_kernels():
        ids, scores = scan(layout, [segment], tables, 3, kernel=kernel)
        assert ids.tolist() == [[0, 1, 2]]
        assert (scores == -np.inf).all()


def test_many_threads_search_at_once(rng, segment_of, exact_search, assert_identical):
    spec = CodeSpec(16, 8)
    symbols = rng.integers(0, 16, (20_000, 8)).astype(np.uint8)
    segments = [segment_of(spec, symbols)]
    tables = rng.normal(size=(40, 8, 16)).astype(np.float32)
    expected = exact_search(symbols, np.arange(20_000), tables, 10)

    def search(query):
        kernels = native.usable_kernels()
        return scan(Layout(spec), segments, tables[query : query + 1], 10, kernel=kernels[query % len(kernels)])

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(search, range(40)))
    assert_identical([np.concatenate(part) for part in zip(*found, strict=True)], expected)


def test_tables_at_an_odd_address_are_read_as_well(monkeypatch):
    """C++ may not read a float that is not aligned, whatever the processor allows."""
    spec = CodeSpec(4, 3)
    buffer = np.zeros(4 * spec.k * spec.d + 1, dtype=np.uint8)
    odd = buffer[1:].view(np.float32).reshape(1, spec.d, spec.k)
    odd[:] = np.log(np.random.default_rng(0).dirichlet(np.ones(spec.k), spec.d))
    assert not odd.flags.aligned
    addresses = []
    given = native._address
    monkeypatch.setattr(native, "_address", lambda array: addresses.append(array.flags.aligned) or given(array))
    layout = Layout(spec)
    blocks = layout.pack(np.random.default_rng(1).integers(0, 4, (70, 3)).astype(np.uint8)).reshape(-1)
    found = scan(layout, [ScanSegment(blocks, 70, 0, None)], odd, 5, kernel="portable")
    expected = scan(layout, [ScanSegment(blocks, 70, 0, None)], odd.copy(), 5, kernel="torch")
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    assert addresses
    assert all(addresses)
