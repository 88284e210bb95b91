"""The steps of a search on a GPU that never asks the CPU: a floor under the n best scores, and what reaches it.

The best items of some blocks have exact scores, in float64; the n-th best of those is a floor. An item that reaches it
loses at most bound = M - floor against M = sum_i max_s t_i[s], so its rounded losses (see `sieve`) add up to at most
bound / step. Float64 sums of d entries are off by at most e = d 2**-53 sum_i max_s |t_i[s]| and a little, once in M
and once in the score; factors of 1 + 2**-20 pay for that little and for the roundings of what is computed here.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit  # type: ignore[untyped-decorator]
def _scores(  # type: ignore[no-untyped-def]
    codes,
    entries,
    block,
    inside,
    D: tl.constexpr,
    GROUP: tl.constexpr,
):
    """The scores of all items of some blocks, entry after entry in the order of positions."""
    COLUMNS: tl.constexpr = (D + GROUP - 1) // GROUP
    WIDTH: tl.constexpr = 4 // GROUP
    UNROLLED: tl.constexpr = COLUMNS if COLUMNS < 16 else 16
    item = tl.arange(0, 64)
    first = codes + block[:, None] * (COLUMNS * 32) + (item & 31)[None, :]
    shift = (item >> 5 << 2)[None, :]
    total = tl.zeros((block.shape[0], 64), tl.float64)
    for start in range(0, COLUMNS, UNROLLED):
        for further in tl.static_range(UNROLLED):
            column = start + further
            joint = (
                tl.load(first + column * 32, mask=inside[:, None] & (column < COLUMNS), other=0).to(tl.int32) >> shift
            )
            for place in tl.static_range(GROUP):
                position = column * GROUP + place
                symbol = joint >> place * WIDTH & (1 << WIDTH) - 1
                total += tl.load(entries + position * 16 + symbol, mask=(symbol >= 0) & (position < D), other=0.0)
    return total


@triton.jit  # type: ignore[untyped-decorator]
def _kept(keep, block, inside, FILTERED: tl.constexpr):  # type: ignore[no-untyped-def]
    """Which items of some blocks may be returned."""
    if FILTERED:
        words = tl.load(keep + block, mask=inside, other=0)
        return (words[:, None] >> tl.arange(0, 64)[None, :] & 1) == 1
    return inside[:, None] & (tl.arange(0, 64) >= 0)[None, :]


@triton.jit  # type: ignore[untyped-decorator]
def best_of_sample(  # type: ignore[no-untyped-def]
    codes,
    keep,
    entries,
    best,
    blocks,
    stride,
    D: tl.constexpr,
    GROUP: tl.constexpr,
    FILTERED: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    """The best score of a few neighbouring blocks a program, -inf where nothing is kept."""
    block = tl.program_id(0).to(tl.int64) * stride + tl.arange(0, BLOCKS)
    inside = block < blocks
    scores = _scores(codes, entries, block, inside, D, GROUP)
    scores = tl.where(_kept(keep, block, inside, FILTERED), scores, float("-inf"))
    tl.store(best + tl.program_id(0), tl.max(tl.max(scores, axis=1), axis=0))


@triton.jit  # type: ignore[untyped-decorator]
def plan(  # type: ignore[no-untyped-def]
    entries,
    best,
    rounded,
    floor,
    most,
    counts,
    D: tl.constexpr,
    GROUP: tl.constexpr,
    PADDED: tl.constexpr,
    SAMPLES: tl.constexpr,
):
    """From the sample to the floor, the rounded losses and the largest sum of an item that reaches the floor.

    One program. The number asked for follows the entries. A loss is found bit by bit, as an integer, and rounded up.
    """
    WIDTH: tl.constexpr = 4 // GROUP
    column = tl.arange(0, PADDED)
    symbol = tl.arange(0, 16)
    losses = tl.zeros((PADDED, 16), tl.float64)
    highest = tl.zeros((PADDED,), tl.float64)
    magnitudes = tl.zeros((PADDED,), tl.float64)
    for place in tl.static_range(GROUP):
        position = column * GROUP + place
        at = entries + position[:, None] * 16 + (symbol >> place * WIDTH & (1 << WIDTH) - 1)[None, :]
        entry = tl.load(at, mask=(position < D)[:, None], other=0.0)
        top = tl.max(entry, axis=1)
        losses += top[:, None] - entry
        highest += top
        magnitudes += tl.max(tl.abs(entry), axis=1)
    sum_of_highest = tl.sum(highest, axis=0)

    wanted = tl.load(entries + D * 16).to(tl.int32)
    of_sample = tl.maximum(sum_of_highest - tl.load(best + tl.arange(0, SAMPLES)), 0.0).to(tl.float32)
    keys = of_sample.to(tl.int32, bitcast=True)
    found = wanted & 0
    for turn in tl.static_range(20):
        tried = found | 1 << 30 - turn
        fewer = tl.sum((keys < tried).to(tl.int32), axis=0)
        found = tl.where(fewer < wanted, tried, found)
    found = tl.minimum(found | 0x7FF, 0x7F800000)
    bound = found.to(tl.float32, bitcast=True).to(tl.float64) * (1 + 2.0**-20) + 2.0**-120
    reached = sum_of_highest - bound
    tl.store(floor, reached)

    largest = tl.max(tl.max(losses, axis=1), axis=0)
    step = tl.maximum(tl.minimum(bound, largest), 2.0**-130) / 127
    steps = tl.minimum(losses / step, 127.0).to(tl.int32).to(tl.uint8)
    at = rounded + column[:, None] * 16 + symbol[None, :]
    tl.store(at, steps, mask=(column * GROUP < D)[:, None])
    error = tl.sum(magnitudes, axis=0) * (D * 2.0**-51)
    sums = (sum_of_highest - reached + error) * (1 + 2.0**-20) / step
    tl.store(most, tl.minimum(sums, 32767.0).to(tl.int32))
    tl.store(counts + tl.arange(0, 2), tl.zeros((2,), tl.int64))


@triton.jit  # type: ignore[untyped-decorator]
def append_rows(  # type: ignore[no-untyped-def]
    codes,
    keep,
    ids,
    entries,
    floor,
    near,
    answer,
    first_id,
    D: tl.constexpr,
    GROUP: tl.constexpr,
    FILTERED: tl.constexpr,
    NUMBERED: tl.constexpr,
    NEAR: tl.constexpr,
    CAPACITY: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    """Score and id of every item of the blocks found that reaches the floor, in any order, after two counts."""
    found = tl.load(answer)
    start = tl.program_id(0) * BLOCKS
    if (start < found) & (found <= NEAR):
        place = start + tl.arange(0, BLOCKS)
        inside = place < found
        block = tl.load(near + place, mask=inside, other=0).to(tl.int64)
        scores = _scores(codes, entries, block, inside, D, GROUP)
        reaching = _kept(keep, block, inside, FILTERED) & (scores >= tl.load(floor))
        row = block[:, None] * 64 + tl.arange(0, 64)[None, :]
        number = tl.load(ids + row, mask=reaching, other=0) if NUMBERED else row + first_id
        to = tl.atomic_add(answer + 1 + tl.zeros((BLOCKS, 64), tl.int32), 1, mask=reaching, sem="relaxed")
        fits = reaching & (to < CAPACITY)
        tl.store(answer + 2 + 2 * to, scores.to(tl.int64, bitcast=True), mask=fits)
        tl.store(answer + 3 + 2 * to, number, mask=fits)
