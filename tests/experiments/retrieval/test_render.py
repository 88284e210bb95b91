"""Tables of image retrieval."""

from __future__ import annotations

import pytest

from dimco.experiments.retrieval.goals import goals_view
from dimco.experiments.retrieval.render import NOT_MEASURED, bits_view, table_view, time_view
from dimco.experiments.retrieval.rows import retrieval_rows


def time(method, mode, value, code=None, dataset="cub"):
    k, d = code or (None, None)
    row = {"dataset": dataset, "backbone": None, "method": method, "k": k, "d": d, "bits": 384 if code else 4096}
    return {**row, "items": 5924, "codes": "random" if code else None, "mode": mode, "metric": "ms_per_query"} | {
        "value": value
    }


@pytest.fixture
def results(record):
    records = [
        record(codes=[56.0], seed=0),
        record(codes=[57.0], seed=1),
        *[record(method=name) for name in ("binomial-deviance", "triplet", "proxy-nca")],
    ]
    times = [
        time("dimco", "single", 0.02, (64, 64)),
        time("dimco", "batch", 0.01, (64, 64)),
        time("faiss-flat-l2", "single", 0.3),
        time("faiss-flat-l2", "batch", 0.05),
        time("numpy-flat-l2", "single", 0.6),
    ]
    return {"rows": retrieval_rows(records) + times, "jobs": records}


def lines(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_codes_stand_below_embeddings_with_the_papers_figure_and_the_time(results):
    table = lines(table_view("cub")(results))
    assert table[0] == [
        *("method", "head", "trained by", "code", "bits", "Recall@1", "paper"),
        *("@2", "@4", "@8", "MAP@R", "ms a query"),
    ]
    assert [line[0] for line in table[2:]] == ["binomial-deviance", "triplet", "proxy-nca", "dimco-infomax"]
    assert table[2][3:7] == ["128 floats", "4,096", "70.00", ""]
    assert table[-1] == [
        *("dimco-infomax", "distance", "information+metric", "64x64", "384", "56.50 ± 0.71", "55.78"),
        *("57.50", "58.50", "59.50", "28.25", "0.02"),
    ]


def test_at_equal_bits_every_quantized_embedding_is_there_and_the_best_of_them(results):
    table = lines(bits_view("cub")(results))
    assert table[0] == ["embedding or code", "how", "384 bits"]
    assert table[2] == ["dimco-infomax", "distance head, information+metric", "56.50"]
    assert ["triplet", "opq", "40.00"] in table
    assert table[-1] == ["best of the quantized", "", "40.00"]


def test_times_say_how_much_longer_floats_take(results):
    table = {line[2]: line for line in lines(time_view(results))}
    assert table["dimco"][3:] == ["64x64", "random", "0.02", "15", "30", "", "0.01", "5"]
    assert table["faiss-flat-l2"][5:] == ["0.3", "", "", "", "0.05", ""]


def test_goals_say_what_is_met(results):
    table = {(line[0], line[1]): line[2:] for line in lines(goals_view(results))}
    paper = table["cub", "64x64: the paper's Recall@1"]
    assert paper == ["55.78", "56.50", "+0.72", "dimco-infomax 64x64, distance head, information+metric", "yes"]
    beaten = table["cub", "64x64: above 128 floats of each of the paper's baselines (binomial-deviance)"]
    assert (beaten[:3], beaten[-1]) == (["70.00", "56.50", "-13.50"], "no")
    equal = table["cub", "64x64: above every quantized embedding of 384 bits (binomial-deviance+opq)"]
    assert (equal[0], equal[-1]) == ("40.00", "yes")
    assert table["cub", "64x64: times as fast as faiss-flat-l2 of 128, one query"][1:] == ["15.00", "+5.00", "", "yes"]
    assert table["cub", "64x64: times as fast as faiss-flat-l2 of 128, many queries at once"][-1] == "no"
    assert table["cars", "64x64: the paper's Recall@1"][1:] == ["", "", "", ""]


def test_before_a_measurement_the_tables_say_so():
    empty = {"rows": [], "jobs": []}
    views = (table_view("cub"), bits_view("cars"), time_view, goals_view)
    assert {view(empty) for view in views} == {NOT_MEASURED}
