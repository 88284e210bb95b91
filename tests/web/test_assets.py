"""The page's own files, and nothing else."""

from __future__ import annotations

import re

import pytest

from dimco.web.assets import FOLDER


def test_every_file_of_the_page_is_served(client):
    assert client.get("/").text == (FOLDER / "index.html").read_text()
    for file in FOLDER.iterdir():
        answer = client.get(f"/page/{file.name}")
        assert (answer.status_code, answer.content) == (200, file.read_bytes())


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py",
        "/page/..%2fapp.py",
        "/page/%2e%2e/app.py",
        "/page/....//app.py",
        "/page/",
        "/page/nothing.js",
        "/page/app.js%00.html",
        "/page//etc/passwd",
        "/../../../etc/passwd",
        "/page/..\\app.py",
    ],
)
def test_other_paths_are_404(client, path):
    answer = client.get(path)
    assert (answer.status_code, list(answer.json())) == (404, ["error"])


def test_the_page_names_no_address_elsewhere():
    for file in FOLDER.iterdir():
        outside = re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]+[^\s\"']*", file.read_text())
        assert set(outside) <= {"http://www.w3.org/2000/svg"}, file.name


def test_every_import_of_the_page_is_there():
    for file in FOLDER.glob("*.js"):
        for name in re.findall(r'from "\./(.+?)"', file.read_text()):
            assert (FOLDER / name).exists()
