"""DropBlock, against a loop over maps and corners."""

from __future__ import annotations

import pytest
import torch

from dimco.backbones.drop_block import DropBlock, spread
from dimco.errors import InputError


def slow_mask(corners, block):
    """The kept cells of each map, square by square."""
    count, channels, rows, columns = corners.shape
    mask = torch.ones(count, channels, rows + block - 1, columns + block - 1)
    for image, channel, row, column in corners.nonzero().tolist():
        mask[image, channel, row : row + block, column : column + block] = 0
    return mask


@pytest.mark.parametrize("block", [1, 2, 5])
def test_a_square_grows_from_each_corner(block):
    corners = (torch.rand(2, 3, 6, 4) < 0.1).float()
    assert torch.equal(1 - spread(corners, block), slow_mask(corners, block))


@pytest.mark.parametrize(("side", "block"), [(10, 5), (5, 5), (4, 2), (2, 2), (6, 1), (3, 5)])
def test_the_dropped_share_is_that_of_the_papers_corner_rate(side, block):
    rate, maps = 0.1, 40_000
    inside = min(block, side)
    corner_rate = rate / inside**2 * side**2 / (side - inside + 1) ** 2
    cells = 0.0
    for row in range(side):
        for column in range(side):
            above = sum(row - inside < r <= row for r in range(side - inside + 1))
            left = sum(column - inside < c <= column for c in range(side - inside + 1))
            cells += 1 - (1 - corner_rate) ** (above * left)
    out = DropBlock(rate, block, ramp=0)(torch.ones(maps // 100, 100, side, side))
    assert float((out == 0).float().mean()) == pytest.approx(cells / side**2, rel=0.05)


def test_what_is_left_is_scaled_to_the_sum_of_the_whole():
    x = torch.ones(8, 16, 10, 10)
    out = DropBlock(0.3, 3, ramp=0)(x)
    assert float(out.sum()) == pytest.approx(float(x.sum()), rel=1e-5)
    assert len(out[out != 0].unique()) == 1


def test_the_gradient_passes_where_the_map_is_kept_alone():
    x = torch.ones(2, 2, 6, 6, requires_grad=True)
    out = DropBlock(0.5, 2, ramp=0)(x)
    out.sum().backward()
    assert torch.equal(x.grad, out.detach())


def test_the_rate_climbs_along_a_line_and_stays():
    layer, x = DropBlock(0.5, 1, ramp=10), torch.ones(50, 20, 10, 10)
    shares = [float((layer(x) == 0).float().mean()) for _ in range(14)]
    assert shares == pytest.approx([0.05 * min(batch, 10) for batch in range(1, 15)], abs=0.01)
    assert int(layer.batches) == 14


def test_it_does_nothing_in_evaluation_or_at_rate_0():
    x = torch.rand(2, 3, 5, 5)
    assert DropBlock(0.5).eval()(x) is x
    assert DropBlock(0.0)(x) is x


def test_a_half_precision_map_stays_one():
    assert DropBlock(0.2, 2, ramp=0)(torch.rand(2, 3, 5, 5, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_the_forward_pass_reads_no_number_back_from_the_device():
    """As a CUDA graph needs it; a tensor on "meta" has no numbers to read."""
    layer = DropBlock(0.2, 2, ramp=100).to("meta")
    assert layer(torch.rand(2, 3, 5, 5, device="meta")).shape == (2, 3, 5, 5)


def test_impossible_settings_are_refused():
    with pytest.raises(InputError, match="rate from 0 to below 1; got 1"):
        DropBlock(1)
    with pytest.raises(InputError, match="block of at least 1 and a ramp of at least 0; got 0 and 5"):
        DropBlock(0.1, 0, 5)
