"""The demo, on fewer bits."""

import json
import shlex
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
import torch
from sklearn.neighbors import KNeighborsClassifier

from dimco import CodeIndex, CodeModel, Codes, CodeSpec
from dimco.classify import knn_predict
from dimco.codes_file import read_codes
from dimco.errors import FileError, InputError, MissingExtraError
from dimco.experiments import demo as module
from dimco.experiments.demo import run_demo
from dimco.experiments.demo_methods import float_knn, load_digits_split
from dimco.tensor_file import read_record, read_tensors

SPECS = (CodeSpec(16, 1), CodeSpec(4, 4))
FIELDS = {
    "dataset", "backbone", "method", "k", "d", "bits", "ratio", "metric", "value", "spread", "seeds", "paper",
}  # fmt: skip


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def result(tmp_path_factory, steps):
    return run_demo(tmp_path_factory.mktemp("demo") / "made" / "here", on_step=steps.append, specs=SPECS)


@pytest.fixture
def folder(result):
    return Path(result.folder)


def test_writes_what_it_says_and_leaves_nothing_else(result, folder):
    assert sorted(result.files) == sorted(path.name for path in folder.iterdir())
    assert {"results.json", "report.md", "accuracy.png", "accuracy.svg", "symbols.png", "symbols.svg"} <= set(
        result.files
    )


def test_results_are_flat_records_with_their_origin(result, folder):
    content = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert {"command", "seed", "versions", "machine", "rows"} == set(content)
    assert {"dimco", "python", "torch", "numpy", "sklearn", "faiss"} <= set(content["versions"])
    assert content["rows"] == result.rows
    assert all(set(row) == FIELDS for row in content["rows"])
    places = [(row["method"], row["bits"]) for row in content["rows"]]
    methods = ("sq", "pq", "dimco-infomax", "dimco-decoder")
    assert places == [("float-knn", 2048), *((method, bits) for bits in (4, 8) for method in methods)]
    assert {row["ratio"] for row in content["rows"]} == {1, 512, 256}


def test_labels_beat_no_labels_at_few_bits(result):
    top1 = {(row["method"], row["bits"]): row["value"] for row in result.rows}
    assert top1["float-knn", 2048] > 96
    assert top1["dimco-infomax", 4] > top1["pq", 4] > top1["sq", 4] > 20
    assert top1["dimco-decoder", 8] > 95


def test_the_saved_model_codes_and_data_give_the_number_reported(result, folder):
    model = CodeModel.load(folder / "model.safetensors")
    assert model.spec == CodeSpec(4, 4)
    with np.load(folder / "train.npz") as train, np.load(folder / "test.npz") as test:
        stored, asked = dict(train), dict(test)
    codes = read_codes(folder / "codes.safetensors")
    assert codes.codes == model.encode(stored["x"])
    np.testing.assert_array_equal(codes.labels, stored["y"])
    index = CodeIndex.open(folder / "digits.index")
    np.testing.assert_array_equal(index.reconstruct(index.ids), codes.codes.unpack())
    np.testing.assert_array_equal(index.labels, stored["y"])
    predicted = knn_predict(model.log_probs(asked["x"]), codes.codes, stored["y"], 10)
    (row,) = [row for row in result.rows if (row["method"], row["bits"]) == (result.kept, 8)]
    assert row["value"] == pytest.approx(100 * np.mean(predicted == asked["y"]))
    assert model.metadata["classes"] == list(range(10))


def test_stored_digits_and_queries_are_apart_and_balanced():
    digits = load_digits_split(3)
    assert (len(digits.y), len(digits.query_y)) == (1198, 599)
    stored = {row.tobytes() for row in digits.x}
    assert sum(row.tobytes() in stored for row in digits.query_x) == 0
    assert np.abs(np.bincount(digits.query_y) - np.bincount(digits.y) / 2).max() <= 1


def test_float_knn_is_that_of_scikit_learn_but_for_ties():
    digits = load_digits_split(0)
    theirs = KNeighborsClassifier(10, algorithm="brute").fit(digits.x, digits.y).score(digits.query_x, digits.query_y)
    assert float_knn(digits) == pytest.approx(100 * theirs, abs=0.5)


def test_search_lists_the_nearest_codes_and_who_has_them(result, folder):
    codes, labels = Codes.load(folder / "codes.safetensors"), np.load(folder / "train.npz")["y"]
    tables = CodeModel.load(folder / "model.safetensors").log_probs(np.load(folder / "test.npz")["x"])
    assert len(result.search) == 3
    for query in result.search:
        table = tables[query["query"]]
        slow = [sum(float(table[i, s]) for i, s in enumerate(code)) for code in codes.unpack()]
        assert query["nearest"][0]["score"] == pytest.approx(max(slow), abs=1e-5)
        for near in query["nearest"]:
            assert near["items"] == [n for n in range(len(codes)) if "-".join(map(str, codes[n])) == near["code"]]
            assert near["labels"] == labels[near["items"]].tolist()
            assert near["score"] == pytest.approx(slow[near["items"][0]], abs=1e-5)
        scores = [near["score"] for near in query["nearest"]]
        assert scores == sorted(scores, reverse=True)


def test_the_report_holds_every_number_and_its_pictures(result, folder):
    report = (folder / "report.md").read_text(encoding="utf-8")
    for row in result.rows:
        assert f" {row['value']:.1f} |" in report
    for name in ("accuracy.png", "symbols.png"):
        assert f"]({name})" in report
        assert matplotlib.image.imread(folder / name).ndim == 3
    assert "| ----" in report
    assert "{" not in report


def test_steps_are_reported(result, steps):
    assert any("float-knn" in step for step in steps)
    assert sum("dimco-decoder" in step for step in steps) == 2
    assert sum("nearest to test digit" in step for step in steps) == 3
    assert all("\n" not in step for step in steps)


def test_the_last_step_says_how_to_explore_what_the_demo_left(steps):
    pytest.importorskip("fastapi", reason="the web explorer needs the extra web")
    from dimco.web.opening import Sources, open_collection

    command = shlex.split(steps[-1].partition(": ")[2])
    assert command[:2] == ["dimco", "serve"]
    model, index, _, data, _, pixels = command[2:]
    assert len(open_collection(Sources(Path(model), Path(index), Path(data), pixels=pixels))) == 1_198


def test_the_record_is_json(result):
    record = json.loads(json.dumps(result.as_record()))
    assert record["report"].endswith("report.md")
    assert set(record["top1_at_8_bits"]) == {"sq", "pq", "dimco-infomax", "dimco-decoder"}


def test_the_same_seed_writes_the_same_files(tmp_path):
    one, two = (run_demo(tmp_path / name, seed=1, specs=SPECS[:1]) for name in "ab")
    for name in one.files:
        first, second = tmp_path / "a" / name, tmp_path / "b" / name
        if name.endswith(".safetensors"):
            (kind, record), other = read_record(first), read_record(second)
            assert (kind, record) == other
            tensors, others = read_tensors(first, kind)[0], read_tensors(second, kind)[0]
            assert all(torch.equal(tensors[key], others[key]) for key in tensors | others), name
        elif name.endswith(".index"):
            stored, again = CodeIndex.open(first), CodeIndex.open(second)
            np.testing.assert_array_equal(stored.reconstruct(stored.ids), again.reconstruct(again.ids))
            np.testing.assert_array_equal(stored.labels, again.labels)
        else:
            assert first.read_bytes() == second.read_bytes(), name
    assert one.search == two.search


def test_threads_are_given_back_even_after_an_error():
    before, inside = torch.get_num_threads(), []

    @module._one_thread()
    def fail():
        inside.append(torch.get_num_threads())
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert inside == [1]
    assert torch.get_num_threads() == before


def test_no_codes_are_refused(tmp_path):
    with pytest.raises(InputError, match="at least one code"):
        run_demo(tmp_path, specs=())


def test_a_file_in_place_of_the_folder_is_an_error_of_one_line(tmp_path):
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(FileError, match="cannot make the folder"):
        run_demo(tmp_path / "taken")


def test_a_missing_extra_is_named_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "require", _missing)
    with pytest.raises(MissingExtraError):
        run_demo(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def _missing(name):
    raise MissingExtraError(name)
