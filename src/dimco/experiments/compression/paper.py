"""The figures of the paper's table 1 that the project has at hand: top-1 in percent, by dataset, method, k and d."""

from __future__ import annotations

PAPER: dict[tuple[str, str, int, int], float] = {
    ("cifar100", "pq", 2, 4): 7.77,
    ("cifar100", "pq", 4, 4): 18.78,
    ("cifar100", "pq", 16, 2): 25.71,
    ("cifar100", "pq", 16, 4): 43.16,
    ("cifar100", "pq", 16, 16): 61.00,
    ("cifar100", "dimco-infomax", 16, 4): 57.83,
}
