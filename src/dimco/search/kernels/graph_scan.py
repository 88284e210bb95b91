"""A search of one large piece of nibbles on a GPU in four kernels, recorded once and replayed for every query.

A query goes to the GPU in one copy and its answer comes back in another; nothing in between waits for the CPU. What
comes back are all items that reach a floor under the n best scores (see `triton_best`), with exact scores; the CPU
sorts them. Where there are more than fit into the memory set aside, the query is left to another scan.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
import triton
from numpy.typing import NDArray
from torch import Tensor

from dimco.search.kernels.n_best import Found, n_best
from dimco.search.kernels.torch_codes import Piece
from dimco.search.kernels.triton_best import append_rows, best_of_sample, plan
from dimco.search.kernels.triton_rounded import append_blocks

SAMPLES, SAMPLE_BLOCKS = 2048, 8
NEAR, ROWS, FEWEST_ROWS, ROWS_AN_ITEM = 1 << 15, 1 << 14, 1 << 12, 512
SLOTS = 8
_ROUNDED_BLOCKS, _ROUNDED_WARPS, _SCORED_BLOCKS, _COUNTS = 64, 2, 16, 2


class GraphScan:
    """Of one piece. Its memory and its recording are made at the first search; one thread searches at a time.

    Parameters
    ----------
    piece : Piece
        Of at most `triton_rounded.MOST_COLUMNS` columns of nibbles. Without CUDA its steps run one by one, in triton's
        interpreter.
    """

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self._lock = threading.Lock()
        self._steps: Steps | None = None
        self._replay: Callable[[], object] | None = None
        self._free: list[_Slot] = []
        self._stream = torch.cuda.Stream(piece.blocks.device) if piece.blocks.is_cuda else None

    def __call__(self, tables: NDArray[np.float32], n: int) -> list[Found | None]:
        """The n best items of each query, best first, and their scores; None for a query left to another scan.

        Parameters
        ----------
        tables : ndarray of float32, shape (Q, d, k)
            Queries with -inf are left to another scan.
        n : int
            The more, the more memory they need; those of some hundreds are left to another scan.
        """
        found: list[Found | None] = [None] * len(tables)
        running: deque[tuple[int, _Slot]] = deque()
        with self._lock, self._on_stream():
            steps, replay = self._ready()
            self._free = [_Slot(steps) for _ in range(SLOTS)] if len(self._free) < SLOTS else self._free
            for query, table in enumerate(tables):
                if table.min() == -np.inf:
                    continue
                if not self._free:
                    self._finish(running, found, n)
                slot = self._free.pop()
                slot.start(table, n, replay)
                running.append((query, slot))
            while running:
                self._finish(running, found, n)
        return found

    def _finish(self, running: deque[tuple[int, _Slot]], found: list[Found | None], n: int) -> None:
        query, slot = running.popleft()
        found[query] = slot.answer(n)
        self._free.append(slot)

    def _on_stream(self) -> AbstractContextManager[object]:
        return nullcontext() if self._stream is None else torch.cuda.stream(self._stream)

    def _ready(self) -> tuple[Steps, Callable[[], object]]:
        if self._steps is None or self._replay is None:
            self._steps = Steps(self.piece)
            self._replay = self._steps if self._stream is None else _recorded(self._steps, self._stream)
        return self._steps, self._replay


def _recorded(steps: Callable[[], None], stream: torch.cuda.Stream) -> Callable[[], object]:
    """What launches all kernels of some steps at once. They have run before, so that they are compiled."""
    steps()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        steps()
    return graph.replay


class Steps:
    """What happens on the GPU to one query, between `given` and `answer`, in memory that is always the same.

    Attributes
    ----------
    given : Tensor of float64, shape (d * 16 + 1,)
        Entries of every position, the last one repeated up to 16 symbols; then n.
    answer : Tensor of int64, shape (2 + 2 * ROWS,)
        How many blocks may hold one of the n best, how many items reach the floor, and of every such item the bits of
        its score and its id.
    """

    def __init__(self, piece: Piece) -> None:
        layout, device = piece.layout, piece.blocks.device
        self.layout = layout
        self._piece, self._d, self._group = piece, layout.spec.d, layout.group
        self._words = piece.blocks.view(torch.int32)
        self.given = torch.zeros(self._d * 16 + 1, dtype=torch.float64, device=device)
        self.answer = torch.zeros(_COUNTS + 2 * ROWS, dtype=torch.int64, device=device)
        self._best = torch.empty(SAMPLES, dtype=torch.float64, device=device)
        self._rounded = torch.empty(layout.columns * 16, dtype=torch.uint8, device=device)
        self._floor = torch.empty(1, dtype=torch.float64, device=device)
        self._most = torch.empty(1, dtype=torch.int32, device=device)
        self._near = torch.empty(NEAR, dtype=torch.int32, device=device)

    def __call__(self) -> None:
        self.sample()
        self.plan()
        self.sieve()
        self.score()

    def sample(self) -> None:
        """The best score in each of some groups of blocks, from all over the piece."""
        blocks = len(self._piece.blocks)
        best_of_sample[(SAMPLES,)](
            self._piece.blocks,
            self._keep,
            self.given,
            self._best,
            blocks,
            max(SAMPLE_BLOCKS, blocks // SAMPLES),
            D=self._d,
            GROUP=self._group,
            FILTERED=self._piece.keep is not None,
            BLOCKS=SAMPLE_BLOCKS,
        )

    def plan(self) -> None:
        """The floor, and rounded losses that find what may reach it."""
        plan[(1,)](
            self.given,
            self._best,
            self._rounded,
            self._floor,
            self._most,
            self.answer,
            D=self._d,
            GROUP=self._group,
            PADDED=triton.next_power_of_2(self.layout.columns),
            SAMPLES=SAMPLES,
        )

    def sieve(self) -> None:
        """The blocks with an item that may reach the floor."""
        blocks = len(self._piece.blocks)
        append_blocks[(triton.cdiv(blocks, _ROUNDED_BLOCKS),)](
            self._words,
            self._rounded.view(torch.int32),
            self._most,
            self._near,
            self.answer,
            blocks,
            CAPACITY=NEAR,
            COLUMNS=self.layout.columns,
            PERMUTED=self._piece.blocks.is_cuda and torch.version.hip is None,
            BLOCKS=_ROUNDED_BLOCKS,
            num_warps=_ROUNDED_WARPS,
        )

    def score(self) -> None:
        """The items of those blocks that do."""
        ids = self._piece.ids
        append_rows[(triton.cdiv(NEAR, _SCORED_BLOCKS),)](
            self._piece.blocks,
            self._keep,
            self._keep if isinstance(ids, int) else ids,
            self.given,
            self._floor,
            self._near,
            self.answer,
            ids if isinstance(ids, int) else 0,
            D=self._d,
            GROUP=self._group,
            FILTERED=self._piece.keep is not None,
            NUMBERED=not isinstance(ids, int),
            NEAR=NEAR,
            CAPACITY=ROWS,
            BLOCKS=_SCORED_BLOCKS,
        )

    @property
    def _keep(self) -> Tensor:
        return self.answer if self._piece.keep is None else self._piece.keep


class _Slot:
    """Memory of the CPU for one query on its way to the GPU and back."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        pinned = steps.given.is_cuda
        self._given = torch.zeros(steps.given.shape, dtype=torch.float64, pin_memory=pinned)
        self._answer = torch.zeros(steps.answer.shape, dtype=torch.int64, pin_memory=pinned)
        self._numbers, self._found = self._given.numpy(), self._answer.numpy()
        self._entries = self._numbers[:-1].reshape(-1, 16)
        self._done = torch.cuda.Event() if pinned else None
        self._rows = 0

    def start(self, table: NDArray[np.float32], n: int, replay: Callable[[], object]) -> None:
        """Have the GPU answer a query; returns at once."""
        symbols = table.shape[1]
        self._entries[:, :symbols] = table
        self._entries[:, symbols:] = table[:, -1:]
        self._numbers[-1] = n
        self._steps.given.copy_(self._given, non_blocking=True)
        replay()
        self._rows = min(ROWS, max(FEWEST_ROWS, ROWS_AN_ITEM * n))
        size = _COUNTS + 2 * self._rows
        self._answer[:size].copy_(self._steps.answer[:size], non_blocking=True)
        if self._done is not None:
            self._done.record()

    def answer(self, n: int) -> Found | None:
        """The n best of what was found; None if it was too much."""
        if self._done is not None:
            self._done.synchronize()
        near, rows = self._found[:_COUNTS].tolist()
        if near > NEAR or rows > self._rows:
            return None
        pairs = self._found[_COUNTS : _COUNTS + 2 * rows].reshape(-1, 2)
        return n_best(pairs[:, 1], pairs[:, 0].view(np.float64), n)
