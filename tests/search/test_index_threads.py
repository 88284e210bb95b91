"""Many threads search while others change the index: every answer is that of one moment."""

import threading

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec, Where

SPEC = CodeSpec(4, 3)
STEPS = 120


def change(index, step):
    """The step-th of a fixed sequence of changes, each of which makes a set of items not seen before."""
    codes = np.random.default_rng(step).integers(0, 4, (5, 3))
    if step % 4 == 3:
        index.remove(index.ids[[0, -1]])
    elif step % 4 == 2:
        index.update(index.ids[-2:], codes[:2], labels=[step, step])
    else:
        index.add(codes, labels=[step] * 5)
    if step % 20 == 19:
        index.compact()


def answer(index, log_probs, where):
    found = index.search(log_probs, 10_000, where)
    return found.ids.tobytes() + found.scores.tobytes() + found.labels.tobytes()


@pytest.mark.parametrize("where", [None, Where(not_ids=[3])])
def test_every_answer_is_that_of_one_moment_and_moments_do_not_go_back(draw_log_probs, where):
    log_probs = draw_log_probs(3, 4)
    alone = CodeIndex(SPEC)
    change(alone, 0)
    moments = {answer(alone, log_probs, where): 0}
    for step in range(1, STEPS):
        change(alone, step)
        moments.setdefault(answer(alone, log_probs, where), step)
    assert len(moments) == STEPS
    shared = CodeIndex(SPEC)
    change(shared, 0)
    seen, wrong, done = set(), [], threading.Event()

    def search():
        last = 0
        while not done.is_set():
            moment = moments.get(answer(shared, log_probs, where))
            if moment is None or moment < last:
                wrong.append(moment)
                return
            last = moment
            seen.add(moment)

    searchers = [threading.Thread(target=search) for _ in range(3)]
    for thread in searchers:
        thread.start()
    for step in range(1, STEPS):
        change(shared, step)
    done.set()
    for thread in searchers:
        thread.join()
    assert wrong == []
    assert len(seen) > 1


def test_many_writers_lose_nothing(tmp_path):
    index = CodeIndex(SPEC)
    path = tmp_path / "index"
    index.save(path)
    given, failed = [], []

    def write(number):
        try:
            for _ in range(40):
                ids = index.add([[number, 0, 0]] * 2, labels=[f"writer {number}"] * 2)
                index.remove(ids[:1])
                given.append((int(ids[1]), number))
                if number == 0:
                    index.save(path)
        except Exception as error:
            failed.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    assert failed == []
    index.save(path)
    for held in (index, CodeIndex.open(path)):
        assert len(held) == len(given) == 160
        for item, number in given:
            assert held.reconstruct(item)[0] == number
        assert set(held.labels.tolist()) == {f"writer {number}" for number in range(4)}
    CodeIndex.check(path)


def test_label_names_are_read_once_by_many_threads(tmp_path, draw_log_probs):
    index = CodeIndex(SPEC)
    index.add(np.zeros((100, 3), int), labels=[f"name {n}" for n in range(100)])
    index.save(tmp_path / "index")
    opened, log_probs, found = CodeIndex.open(tmp_path / "index"), draw_log_probs(3, 4), []
    threads = [threading.Thread(target=lambda: found.append(opened.search(log_probs, 5).labels)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [labels.tolist() for labels in found] == [[f"name {n}" for n in range(5)]] * 8
