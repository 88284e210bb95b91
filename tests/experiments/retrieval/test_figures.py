"""Which row stands for a code."""

from __future__ import annotations

from dimco.experiments.retrieval.figures import Figures
from dimco.experiments.retrieval.rows import retrieval_rows


def test_ours_is_what_does_best_on_held_out_classes_whatever_the_test_classes_say(record):
    records = [
        record(stage="select", curve=[60.0]),
        record(stage="select", head="linear", curve=[50.0]),
        record(codes=[10.0]),
        record(head="linear", codes=[90.0]),
    ]
    figures = Figures({"rows": retrieval_rows(records)}, "cub")
    assert figures.best("64x64")["value"] == 10.0
    assert figures.best(most_bits=384)["value"] == 10.0
    assert figures.best(most_bits=383) is None
    assert [row["value"] for row in figures.ours()] == [10.0, 90.0]


def test_rows_of_another_data_set_or_backbone_are_left_out(record):
    rows = retrieval_rows([record(dataset="cars"), record(dataset="cub-frozen", codes=[30.0])])
    assert Figures({"rows": rows}, "cub").rows == []
    assert Figures({"rows": rows}, "cub", "resnet50 frozen").best()["value"] == 30.0


def test_quantized_embeddings_are_of_losses_alone(record):
    figures = Figures({"rows": retrieval_rows([record(), record(method="n-pair")])}, "cub")
    assert [row["method"] for row in figures.quantized()] == ["n-pair+opq"]
    assert figures.quantized(383) == []
    assert figures.beside(figures.floats()[0], "map@r") == 35.0
