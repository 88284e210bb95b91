"""The report as one page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from dimco.reports.page import report_page

HISTORY = [
    {"epoch": 1, "loss": 2.0, "information_bits": 0.5, "held_out_bits": 0.4},
    {"epoch": 2, "loss": 1.0, "information_bits": 1.5, "held_out_bits": None},
]
VOID = {"meta", "img", "br"}


class Balance(HTMLParser):
    """Every tag is closed in order; attributes that name an address are kept."""

    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.ids = [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.addresses += [given[name] for name in ("src", "href", "action") if name in given]
        self.ids += [given["id"]] if "id" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(page):
    found = Balance()
    found.feed(page)
    assert found.open == []
    return found


@pytest.mark.parametrize("pictured", [True, False])
def test_the_page_is_whole_and_asks_for_nothing_outside(make_report, pictured):
    page = report_page(make_report(pictured, history=HISTORY))
    found = parsed(page)
    assert all(address.startswith(("data:image/jpeg;base64,", "#")) for address in found.addresses)
    assert any(address.startswith("data:") for address in found.addresses) is pictured
    assert {address[1:] for address in found.addresses if address.startswith("#")} == set(found.ids)
    assert "http" not in page
    assert "@import" not in page
    assert "url(" not in page


def test_names_from_the_data_are_text(make_report):
    page = report_page(make_report())
    assert "&lt;birch&gt;" in page
    assert "<birch>" not in page
    assert "<h1>Trees &lt;b&gt;</h1>" in page


def test_numbers_are_those_of_the_evaluation(make_report):
    report = make_report()
    page = report_page(report)
    assert f"<b>{report.evaluation.top1:,.2f}</b>top-1, %" in page
    wrong = len(report.answers.wrong)
    assert f"{wrong} of 45 queries are answered wrongly" in page
    assert report.evaluation.top1 == pytest.approx(100 * (1 - wrong / 45))


def test_curves_are_there_if_the_model_keeps_them(make_report):
    assert "keeps no history" in report_page(make_report())
    page = report_page(make_report(history=HISTORY))
    assert "keeps no history" not in page
    assert page.count("<polyline") == 3


def test_every_symbol_has_a_cell_and_dead_ones_say_so(make_report):
    report = make_report()
    page = report_page(report)
    cells = re.findall(r"--heat:(\d+)", page)
    dead = int((report.codebook.usage == 0).sum())
    assert len(cells) + dead == 12
    assert page.count('<td class="dead">not used</td>') == dead >= 1


def test_the_card_says_what_made_the_model(make_report):
    settings = {"objective": "infomax", "head": "linear", "seed": 3, "independence": 1.0}
    page = report_page(make_report(settings=settings, data="trees.npz", items=1200, epochs=40))
    for said in ("infomax", "linear", "trees.npz", "1,200, 40", "4x3: 3 positions of 4 symbols, 6 bits", "dimco x"):
        assert said in page
    assert "a &lt;fast&gt; one" in page
    assert "torch 9.9" in page


def test_what_is_not_known_is_left_out_of_the_card(make_report):
    report = make_report()
    report.facts.clear()
    card = report_page(report).partition('id="card"')[2]
    for name in ("versions", "processor", "command", "objective"):
        assert f"<dt>{name}</dt>" not in card
    assert "<dt>code</dt>" in card


def test_a_model_that_is_always_right_has_no_failures(make_report):
    report = make_report()
    report.answers.predicted[:] = report.answers.truth
    page = report_page(report)
    parsed(page)
    assert "Every query was classified rightly." in page


def test_large_codes_are_shown_in_part(make_report, monkeypatch):
    monkeypatch.setattr("dimco.reports.page.sections._MOST_POSITIONS", 2)
    page = report_page(make_report())
    assert "Shown are the first 2 of 3 positions and 4 of 4 symbols." in page
    assert "Position 2" not in page
