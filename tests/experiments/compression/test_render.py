"""Tables and plots of a small example written by hand."""

from __future__ import annotations

import itertools

import matplotlib.image
import matplotlib.text
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from dimco.experiments.compression.render import (
    grid_view,
    headline_view,
    heat_figure,
    others_view,
    paper_view,
    weighted_view,
    write_plots,
)


def row(method, k, d, bits, value, spread=None, paper=None, metric="top1"):
    return {
        "dataset": "cifar100", "backbone": "resnet20", "method": method, "k": k, "d": d, "bits": bits,
        "metric": metric, "value": value, "spread": spread, "seeds": [0], "paper": paper,
    }  # fmt: skip


RESULTS = {
    "dataset": "cifar100",
    "rows": [
        row("dimco-infomax", 16, 4, 16, 58.654, 0.128, 57.83),
        row("dimco-infomax", 16, 4, 16, 58.9, metric="top1_weighted"),
        row("dimco-infomax", 2, 4, 4, 12.5),
        row("pq", 16, 4, 16, 43.0, 0.3, 43.16),
        row("pq", 16, 4, 16, 44.0, metric="top1_weighted"),
        row("sq", 16, 2, 8, 20.0),
        row("float-knn", None, None, 2048, 63.14),
        row("float-knn", None, None, 2048, 63.2, metric="top1_weighted"),
        row("network", 100, 1, 7, 66.71),
    ],
}
NO_REFERENCES = {**RESULTS, "rows": RESULTS["rows"][:6]}


def test_the_grid_has_a_row_a_code_and_a_column_a_method():
    assert (
        grid_view(RESULTS)
        == """\
| code | bits | times smaller | dimco-infomax | pq           | sq    |
| ---- | ---: | ------------: | ------------- | ------------ | ----- |
| 2x4  |    4 |           512 | 12.50         |              |       |
| 16x2 |    8 |           256 |               |              | 20.00 |
| 16x4 |   16 |           128 | 58.65 ± 0.13  | 43.00 ± 0.30 |       |

For comparison: the vote over the float embeddings 63.14 (2,048 bits), the network's own prediction 66.71 (7 bits)."""
    )


def test_the_papers_figures_stand_beside_ours():
    assert (
        paper_view(RESULTS)
        == """\
| method        | code | paper |  ours | difference |
| ------------- | ---- | ----: | ----: | ---------: |
| dimco-infomax | 16x4 | 57.83 | 58.65 |      +0.82 |
| pq            | 16x4 | 43.16 | 43.00 |      -0.16 |"""
    )


def test_weighted_votes_of_our_methods_stand_beside_plain_ones():
    assert (
        weighted_view(RESULTS)
        == """\
| method        | code | plain | weighted | difference |
| ------------- | ---- | ----: | -------: | ---------: |
| dimco-infomax | 16x4 | 58.65 |    58.90 |      +0.25 |"""
    )


def test_the_headline_shows_the_codes_that_were_measured():
    assert (
        headline_view(RESULTS)
        == """\
| code | bits |    sq |    pq | dimco-infomax | dimco-decoder |
| ---- | ---: | ----: | ----: | ------------: | ------------- |
| 16x2 |    8 | 20.00 |       |               |               |
| 16x4 |   16 |       | 43.00 |         58.65 |               |

For comparison: the vote over the float embeddings 63.14 (2,048 bits), the network's own prediction 66.71 (7 bits)."""
    )


def test_other_quantizers_have_a_table_of_their_own():
    more = [
        row("opq", 16, 4, 16, 49.2),
        row("itq", 2, 4, 4, 9.5),
        row("int8", 256, 64, 512, 63.1),
    ]
    results = {**RESULTS, "rows": [*RESULTS["rows"], *more]}
    said = (
        "For comparison: the vote over the float embeddings 63.14 (2,048 bits), over one byte a feature (int8) 63.10 "
        "(512 bits), the network's own prediction 66.71 (7 bits)."
    )
    assert (
        others_view(results)
        == f"""\
| code | bits | times smaller | dimco-infomax | opq   | itq  |
| ---- | ---: | ------------: | ------------- | ----- | ---- |
| 2x4  |    4 |           512 | 12.50         |       | 9.50 |
| 16x4 |   16 |           128 | 58.65 ± 0.13  | 49.20 |      |

{said}"""
    )
    assert grid_view(results).splitlines()[:5] == grid_view(RESULTS).splitlines()[:5]


@pytest.mark.parametrize("view", [grid_view, headline_view])
def test_without_references_the_table_stands_alone(view):
    table = view(NO_REFERENCES)
    assert table.endswith("|")
    assert "For comparison" not in table


@pytest.mark.parametrize("view", [grid_view, headline_view, paper_view, weighted_view])
def test_results_without_rows_give_an_empty_table(view):
    assert len(view({"dataset": "d", "rows": []}).splitlines()) == 2


@pytest.mark.parametrize("results", [RESULTS, NO_REFERENCES], ids=["all", "no references"])
def test_plots_are_written_as_png_and_svg(tmp_path, results):
    written = write_plots(results, tmp_path / "compression")
    assert [path.name for path in written] == [
        "compression-bits.png", "compression-bits.svg", "compression-heat.png", "compression-heat.svg",
    ]  # fmt: skip
    for path in written:
        if path.suffix == ".png":
            assert matplotlib.image.imread(path).std() > 0.01, "not an empty picture"
        else:
            assert "</svg>" in path.read_text(encoding="utf-8")
    assert sorted(tmp_path.iterdir()) == sorted(written)


def test_other_quantizers_have_a_picture_of_their_own(tmp_path):
    results = {**RESULTS, "rows": [*RESULTS["rows"], row("opq", 16, 4, 16, 49.2)]}
    names = {path.stem for path in write_plots(results, tmp_path / "compression")}
    assert names == {"compression-bits", "compression-quantizers", "compression-heat"}


def test_nothing_is_drawn_where_no_code_was_measured(tmp_path):
    assert write_plots({**RESULTS, "rows": RESULTS["rows"][6:]}, tmp_path / "none") == []
    assert list(tmp_path.iterdir()) == []


def test_the_heat_map_says_every_value_where_it_belongs():
    figure = heat_figure([r for r in RESULTS["rows"] if r["metric"] == "top1"], "cifar100")
    shown = {}
    for axes in figure.axes:
        ds = [int(label.get_text()) for label in axes.get_xticklabels()]
        ks = [int(label.get_text()) for label in axes.get_yticklabels()]
        for text in axes.texts:
            if text.get_text():
                d, k = text.get_position()
                shown[axes.get_title(), ks[k], ds[d]] = text.get_text()
    assert shown == {
        ("dimco-infomax", 16, 4): "58.7",
        ("dimco-infomax", 2, 4): "12.5",
        ("pq", 16, 4): "43.0",
        ("sq", 16, 2): "20.0",
    }


@pytest.mark.parametrize("methods", [1, 4, 7])
def test_no_texts_of_the_heat_map_touch(methods):
    grid = list(itertools.product((2, 4, 8, 16), (1, 2, 4, 8, 16, 32, 64)))
    names = ["dimco-infomax", "dimco-decoder", "pq", "sq", "opq", "lda-pq", "dimco-mlp"][:methods]
    figure = heat_figure([row(name, k, d, 8, 100.0) for name in names for k, d in grid], "cifar100")
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = [text for text in figure.findobj(matplotlib.text.Text) if text.get_visible() and text.get_text()]
    boxes = [(text.get_text(), matplotlib.text.Text.get_window_extent(text, renderer)) for text in texts]
    for (name, box), (other, beside) in itertools.combinations(boxes, 2):
        assert not box.overlaps(beside), f"{name!r} overlaps {other!r}"
    assert all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 for _, box in boxes)
