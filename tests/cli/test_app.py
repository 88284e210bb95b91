"""The command line as people type it: results, exit codes and one line for each error."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from dimco import CodeModel, Codes, __version__
from dimco.cli.app import run
from dimco.codes_file import read_codes
from dimco.heads import head_name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    X, y = make_blobs(400, 6, centers=4, random_state=0)
    np.savez(folder / "train.npz", x=X[:300], y=y[:300])
    np.savez(folder / "test.npz", x=X[300:], y=y[300:])
    fit = ["fit", str(folder / "train.npz"), "-o", str(folder / "model"), "--k", "4", "--d", "3", "--quiet"]
    assert run(fit) == 0
    assert run(["encode", str(folder / "model"), str(folder / "test.npz"), "-o", str(folder / "codes"), "-q"]) == 0
    return folder


def _json(capsys, *arguments) -> dict:
    capsys.readouterr()
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def _error(capsys, *arguments) -> tuple[int, str]:
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    lines = [line for line in captured.err.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, captured.err
    assert "Traceback" not in captured.err
    return code, lines[0]


def test_fit_says_what_was_learned(folder, capsys, tmp_path):
    result = _json(capsys, "fit", folder / "train.npz", "-o", tmp_path / "m", "--k", 2, "--d", 5, "--epochs", 2)
    assert (result["code"], result["bits"], result["epochs"], result["objective"]) == ("2x5", 5, 2, "infomax")
    assert result["information_bits"] > 0
    assert CodeModel.load(tmp_path / "m").metadata["classes"] == [0, 1, 2, 3]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"], "the checkpoint is gone once the model is written"


def test_fit_prints_an_epoch_a_line_where_there_is_no_terminal(folder, capsys, tmp_path):
    assert run(["fit", str(folder / "train.npz"), "-o", str(tmp_path / "m"), "--epochs", "3"]) == 0
    assert sum(line.startswith("epoch ") for line in capsys.readouterr().err.splitlines()) == 3


def test_fit_chooses_a_code_of_the_bits_asked_for(folder, capsys, tmp_path):
    fit = ("fit", folder / "train.npz", "-o", tmp_path / "m", "--bits", 6, "--time-budget", 0, "--epochs", 5)
    result = _json(capsys, *fit)
    model = CodeModel.load(tmp_path / "m")
    assert (result["bits"], result["code"]) == (6, str(model.spec))
    assert model.spec.bits == 6
    assert result["head"] == model.metadata["settings"]["head"] == head_name(model.head)
    assert model.metadata["items"] == 300, "the choice is fitted on all items"


def test_fit_says_what_each_trial_scored_unless_quiet(folder, capsys, tmp_path):
    fit = ["fit", str(folder / "train.npz"), "-o", str(tmp_path / "m"), "--bits", "6", "--time-budget", "0"]
    assert run([*fit, "--epochs", "2"]) == 0
    assert sum("held out" in line for line in capsys.readouterr().err.splitlines()) == 1
    assert run([*fit, "--epochs", "2", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_the_codeword_head_is_fitted_evaluated_and_encoded_with(folder, capsys, tmp_path):
    fit = ("fit", folder / "train.npz", "-o", tmp_path / "m", "--k", 2, "--d", 2, "--head", "codeword", "--epochs", 80)
    assert _json(capsys, *fit, "--objective", "decoder")["head"] == "codeword"
    files = ("--support", folder / "train.npz", "--query", folder / "test.npz")
    assert _json(capsys, "evaluate", tmp_path / "m", *files, "--knn", 20)["top1"] > 90
    assert run(["encode", str(tmp_path / "m"), str(folder / "test.npz"), "-o", str(tmp_path / "c"), "-q"]) == 0
    assert len(np.unique(read_codes(tmp_path / "c").codes.unpack(), axis=0)) == 4, "a codeword for each class"


def test_the_same_seed_writes_the_same_model(folder, tmp_path):
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        fit = ["fit", str(folder / "train.npz"), "-o", str(tmp_path / name), "--epochs", "2", "--seed", seed, "-q"]
        assert run(fit) == 0
    a, b, c = (CodeModel.load(tmp_path / name).head.layers[0].weight.detach().numpy() for name in "abc")
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


def test_evaluate_has_the_promised_keys(folder, capsys):
    files = ("--support", folder / "train.npz", "--query", folder / "test.npz")
    result = _json(capsys, "evaluate", folder / "model", *files, "--knn", 20)
    assert {"top1", "bits", "ratio", "information_bits", "dead_symbols", "seconds"} <= set(result)
    assert result["top1"] > 90
    assert (result["bits"], result["ratio"]) == (6, 32.0)


def test_encode_writes_the_codes_of_the_model_with_the_labels(folder):
    stored = read_codes(folder / "codes")
    with np.load(folder / "test.npz") as data:
        assert stored.codes == CodeModel.load(folder / "model").encode(data["x"])
        np.testing.assert_array_equal(stored.labels, data["y"])
    assert Codes.load(folder / "codes") == stored.codes


@pytest.mark.parametrize(
    ("name", "kind", "fact"),
    [
        ("model", "model", ("features", 6)),
        ("codes", "codes", ("bytes", 75)),
        ("train.npz", "data", ("items", 300)),
    ],
)
def test_info_knows_every_file(folder, capsys, name, kind, fact):
    result = _json(capsys, "info", folder / name)
    assert result["kind"] == kind
    assert result[fact[0]] == fact[1]


def test_people_get_tables(folder, capsys):
    assert run(["info", str(folder / "model")]) == 0
    assert "4x3" in capsys.readouterr().out


def test_version_and_help(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == __version__
    alone = ("embed", "fit", "encode", "evaluate", "search", "export", "info", "check", "demo")
    grouped = ("index build", "index add", "index remove", "index compact", "bench search")
    for command in (*alone, *grouped):
        assert run([*command.split(), "--help"]) == 0
        assert "Example: dimco " + command in " ".join(capsys.readouterr().out.split())


def test_an_interrupted_fit_leaves_a_checkpoint_that_resumes_to_the_same_model(folder, tmp_path, monkeypatch, capsys):
    fit = ["fit", str(folder / "train.npz"), "--k", "4", "--d", "2", "--epochs", "6", "-o"]
    assert run([*fit, str(tmp_path / "whole"), "--quiet"]) == 0

    import dimco.cli.fit as command

    def interrupt(record):
        if record.epoch == 3:
            raise KeyboardInterrupt

    class InterruptingBar:
        def __enter__(self):
            return interrupt

        def __exit__(self, *error):
            return False

    with monkeypatch.context() as patch:
        patch.setattr(command, "progress_bar", InterruptingBar)
        assert run([*fit, str(tmp_path / "cut")]) == 130
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cut.checkpoint", "whole"]
    assert _json(capsys, "info", tmp_path / "cut.checkpoint")["epochs_done"] == 3
    assert run([*fit, str(tmp_path / "cut"), "--quiet", "--resume"]) == 0
    whole, cut = (CodeModel.load(tmp_path / name).state_dict() for name in ("whole", "cut"))
    assert all((whole[name] == cut[name]).all() for name in whole)


def test_wrong_use_exits_with_2_and_one_line(folder, capsys, tmp_path):
    train, model, out = folder / "train.npz", folder / "model", tmp_path / "out"
    np.savez(tmp_path / "wide.npz", x=np.zeros((3, 7)), y=[0, 1, 1])
    np.savez(tmp_path / "one.npz", x=np.zeros((3, 7)), y=[1, 1, 1])
    np.savez(tmp_path / "nan.npz", x=np.full((3, 7), np.nan), y=[0, 1, 1])
    cases = {
        ("fit", train, "--k", 1, "-o", out): "expected k from 2 to 65536; got 1",
        ("fit", train, "--d", 5000, "-o", out): "expected d from 1 to 4096; got 5000",
        ("fit", tmp_path / "one.npz", "-o", out): "expected labels of at least 2 classes; got one class only: 1",
        ("fit", tmp_path / "nan.npz", "-o", out): "row 0 holds NaN or infinity",
        ("fit", tmp_path / "absent.npz", "-o", out): "no such file",
        ("fit", model, "-o", out): "expected a file of features",
        ("fit", train, "-o", out, "--resume"): "expected a checkpoint to resume from",
        ("fit", train, "-o", out, "--resume", "--bits", 8): "expected the settings that were chosen with --resume",
        ("fit", train, "-o", out, "--patience", 2): "expected a held-out fraction above 0",
        ("fit", train, "-o", tmp_path): "is a folder",
        ("fit", train, "--objective", "triplet"): "triplet",
        ("fit", train, "--head", "codeword", "-o", out): "expected the decoder objective with the codeword head",
        ("fit", train, "--bits", 0, "-o", out): "--bits",
        ("fit", train, "--bits", 4097, "-o", out): "expected a number of bits that",
        ("fit",): "TRAIN",
        ("encode", model, tmp_path / "wide.npz", "-o", out): "expected 6 features, as in training; got 7",
        ("encode", train, train, "-o", out): "is not a dimco file",
        ("encode", folder / "codes", train, "-o", out): "expected a dimco model file",
        ("info", tmp_path / "absent"): "no such file",
        ("evaluate", model, "--support", train): "--query",
        ("fly",): "fly",
    }
    for arguments, message in cases.items():
        code, line = _error(capsys, *arguments)
        assert code == 2, (arguments, line)
        assert message in line
    assert not out.exists()


def test_failures_exit_with_1_and_one_line(folder, capsys, tmp_path):
    (tmp_path / "cut").write_bytes((folder / "model").read_bytes()[:-10])
    code, line = _error(capsys, "info", tmp_path / "cut")
    assert (code, "is damaged" in line) == (1, True)
    code, line = _error(capsys, "fit", folder / "train.npz", "-o", tmp_path / "no" / "such" / "folder" / "m")
    assert (code, "cannot write" in line) == (1, True)
    code, line = _error(capsys, "fit", folder / "train.npz", "-o", tmp_path / "m", "--lr", "1e30", "-q")
    assert (code, "try a smaller learning rate" in line) == (1, True)


@pytest.mark.parametrize("command", [["info"], ["check"], ["search", "model", "index"]])
def test_what_the_system_refuses_is_one_line(folder, capsys, command):
    place = [str(folder / "model") if part == "model" else part for part in command]
    code, line = _error(capsys, *place, folder / ("a" * 300))
    assert code in (1, 2)
    assert "File name too long" in line or "no such file" in line.lower()


def test_a_full_standard_output_and_too_little_memory_are_one_line(monkeypatch, capsys):
    for error, expected in (
        (OSError(28, "No space left on device"), "error: No space left on device"),
        (PermissionError(13, "Permission denied", "a/b.npz"), "error: cannot use a/b.npz: Permission denied"),
        (MemoryError(), "error: not enough memory"),
    ):

        def fail(*_, error=error, **__):
            raise error

        monkeypatch.setattr("dimco.cli.bound.show", fail)
        assert _error(capsys, "bound") == (1, expected)


def test_nothing_that_is_read_is_written_over(folder, capsys, tmp_path):
    model, train, test = (tmp_path / name for name in ("model", "train.npz", "test.npz"))
    for path in (model, train, test):
        path.write_bytes((folder / path.name).read_bytes())
    index = tmp_path / "index.npz"
    assert run(["index", "build", str(folder / "codes"), "-o", str(index), "-q"]) == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    commands = (
        ("fit", train, "-o", train),
        ("encode", model, train, "-o", model),
        ("encode", model, train, "-o", train),
        ("index", "build", model, train, "-o", model),
        ("index", "build", model, train, "-o", train),
        ("export", index, "--to", "parquet", "-o", index),
        ("search", model, index, test, "-o", index),
        ("search", model, index, test, "-o", test),
        ("report", model, "--support", train, "--query", test, "-o", test),
    )
    for command in commands:
        code, line = _error(capsys, *command)
        assert (code, "is one that is read" in line) == (2, True), line
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
