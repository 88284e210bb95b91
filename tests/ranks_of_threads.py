"""Ranks that are threads of one process and share one autograd graph: a plain double of processes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import torch


class ThreadRanks:
    """One thread's view; `sum` adds the other threads' tensors, whose graphs stay attached."""

    def __init__(self, rank, barrier, shelf):
        self.rank, self.barrier, self.shelf = rank, barrier, shelf

    def gather(self, value):
        self.shelf[self.rank] = value
        self.barrier.wait(timeout=20)
        values = list(self.shelf)
        self.barrier.wait(timeout=20)
        return values

    def sum(self, values):
        return torch.stack(self.gather(values)).sum(0)

    def mean(self, values, items):
        return sum(value * n for value, n in self.gather((values, items))) / sum(n for _, n in self.gather((0, items)))

    def classes(self, labels):
        return torch.unique(torch.cat(self.gather(labels)))


def on_threads(count, work):
    """What `work(rank, ranks)` returns on each of `count` ranks."""
    barrier, shelf = threading.Barrier(count), [None] * count

    def run(rank):
        try:
            return work(rank, ThreadRanks(rank, barrier, shelf))
        except BaseException:
            barrier.abort()
            raise

    with ThreadPoolExecutor(count) as pool:
        return [future.result() for future in [pool.submit(run, rank) for rank in range(count)]]
