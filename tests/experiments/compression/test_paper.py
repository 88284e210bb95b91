"""The paper's figures, written down a second time."""

from __future__ import annotations

from dimco.experiments.compression.data import DATASETS
from dimco.experiments.compression.methods import METHODS
from dimco.experiments.compression.paper import PAPER
from dimco.experiments.compression.run import GRIDS


def test_figures_are_those_of_the_papers_table():
    pq = {(k, d): value for (dataset, method, k, d), value in PAPER.items() if (dataset, method) == ("cifar100", "pq")}
    assert pq == {(2, 4): 7.77, (4, 4): 18.78, (16, 2): 25.71, (16, 4): 43.16, (16, 16): 61.0}
    assert PAPER["cifar100", "dimco-infomax", 16, 4] == 57.83


def test_figures_are_of_cells_that_the_paper_grid_measures():
    shapes = {(spec.k, spec.d) for spec in GRIDS["paper"]}
    for dataset, method, k, d in PAPER:
        assert dataset in DATASETS
        assert method in METHODS
        assert (k, d) in shapes
