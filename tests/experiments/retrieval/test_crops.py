import torch

from dimco.experiments.retrieval.crops import ResizedCrop


def ramp():
    """Pictures whose first channel is the column and whose second is the row, 0 to 1."""
    places = (torch.arange(64.0) + 0.5) / 64
    columns, rows = places.expand(64, 64), places[:, None].expand(64, 64)
    return torch.stack([columns, rows, columns]).expand(500, 3, 64, 64)


def corners(cut):
    """Left, right, top and bottom of each crop, read off the ramp."""
    left, right = cut[:, 0, :, 0].mean(1), cut[:, 0, :, -1].mean(1)
    return left, right, cut[:, 1, 0].mean(1), cut[:, 1, -1].mean(1)


def test_a_rectangle_of_the_drawn_area_and_ratio_is_resized_and_half_of_them_are_mirrored():
    cut = ResizedCrop(32, 0.25)(ramp(), torch.Generator().manual_seed(0))
    assert cut.shape == (500, 3, 32, 32)
    left, right, top, bottom = corners(cut)
    assert 200 < int((left > right).sum()) < 300
    assert bool((top < bottom).all())
    width, height = (right - left).abs() * 32 / 31, (bottom - top) * 32 / 31
    area, ratio = width * height, width / height
    assert float(area.min()) > 0.2
    assert float(area.max()) <= 1.03
    assert 0.5 < float(area.median()) < 0.75
    assert float(ratio.min()) > 0.7
    assert float(ratio.max()) < 1.4
    assert float(torch.minimum(left, right).min()) >= 0


def test_the_whole_picture_is_a_plain_resize():
    pixels = torch.rand(1, 3, 16, 16)
    crop = ResizedCrop(16, 1.0)
    found = {float((crop(pixels, torch.Generator().manual_seed(seed)) - pixels).abs().max()) for seed in range(40)}
    assert min(found) < 0.5


def test_the_same_generator_draws_the_same_crops():
    first, again = (ResizedCrop(8, 0.3)(ramp()[:4], torch.Generator().manual_seed(1)) for _ in range(2))
    assert torch.equal(first, again)
