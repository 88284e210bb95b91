"""dimco reproduce codes, as people ask for it."""

from dimco.cli.app import run


def test_data_without_images_exits_with_2_and_one_line(capsys, tmp_path):
    command = [
        "reproduce",
        "codes",
        "--dataset",
        "cifar10",
        "-o",
        str(tmp_path / "r.json"),
        "--pictures",
        str(tmp_path),
    ]
    assert run(command) == 2
    assert "expected a data set with images at hand" in capsys.readouterr().err


def test_results_and_pictures_go_where_asked(capsys, tmp_path, monkeypatch):
    asked = {}

    def ran(name, settings, output, pictures, command, say):
        asked.update(name=name, code=str(settings.spec), seed=settings.seed, output=output, pictures=pictures)
        say("a step")
        return {"rows": [{"dead": True}, {"dead": False}], "positions": [{"position": 0, "information_bits": 1.5}]}

    monkeypatch.setattr("dimco.experiments.codes.run.run_codes", ran)
    monkeypatch.chdir(tmp_path)
    assert run(["reproduce", "codes", "--k", "4", "--d", "3", "--seed", "5", "--pictures", "p"]) == 0
    assert {name: str(value) for name, value in asked.items()} == {
        "name": "cifar100",
        "code": "4x3",
        "seed": "5",
        "output": "results/codes-cifar100.json",
        "pictures": "p",
    }
    captured = capsys.readouterr()
    assert "0 1.50" in captured.out
    assert captured.err == "a step\n"
