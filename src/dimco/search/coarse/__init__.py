"""A coarse first stage for very many codes: cells searched best first, exactly or up to a limit of probes."""

from dimco.search.coarse.cells import Cells, PrefixCells
from dimco.search.coarse.coarse_index import CoarseIndex, CoarseNeighbours
from dimco.search.coarse.modes import ModeCells

__all__ = ["Cells", "CoarseIndex", "CoarseNeighbours", "ModeCells", "PrefixCells"]
