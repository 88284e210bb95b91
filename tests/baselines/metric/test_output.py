"""The check of what a loss on embeddings takes."""

import pytest
import torch

from dimco.baselines.metric.output import checked_batch
from dimco.errors import InputError


def test_logits_of_a_code_are_not_embeddings():
    with pytest.raises(InputError, match=r"expected embeddings of shape \(N, width\); got \(4, 2, 3\)"):
        checked_batch(torch.zeros(4, 2, 3), torch.zeros(4))


def test_every_item_needs_a_label():
    with pytest.raises(InputError, match=r"expected 4 labels, one an item; got shape \(3,\)"):
        checked_batch(torch.zeros(4, 2), torch.zeros(3))


@pytest.mark.parametrize(
    ("given", "taken"),
    [(torch.bfloat16, torch.float32), (torch.float32, torch.float32), (torch.float64, torch.float64)],
)
def test_losses_are_computed_in_float32_or_more(given, taken):
    assert checked_batch(torch.zeros(4, 2, dtype=given), torch.zeros(4)).dtype == taken
