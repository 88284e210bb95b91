"""The page in a real browser, as a person uses it."""

from __future__ import annotations

import base64
import io
import os
import shutil

import numpy as np
import pytest
from PIL import Image

playwright = pytest.importorskip("playwright.sync_api", reason="driving the page needs playwright")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="driving the page needs chromium on the path")

DROP = """(content) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], "mine.png", { type: "image/png" }));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        launched = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser):
    """Opens an address; fails if the page fails, or asks for anything that is not at that address."""
    troubles, contexts = [], []

    def visit(address, path="", wide=1_200, **options):
        context = browser.new_context(viewport={"width": wide, "height": 900}, **options)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda sent: _inside(sent.url, address) or troubles.append(sent.url))
        page.goto(f"{address}/#/{path}")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert troubles == []


def assert_loaded(page, selector):
    """The first picture comes, in its own size."""
    page.wait_for_selector(selector)
    for _ in range(100):
        if page.evaluate("(selector) => document.querySelector(selector).naturalWidth", selector) == 4:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"no picture came for {selector}")


def _inside(url, address):
    return url.startswith((f"{address}/", "blob:", "data:"))


def test_the_map_shows_every_symbol_and_a_square_opens_its_page(address, visit, with_pictures):
    page = visit(address)
    page.wait_for_selector(".cell")
    assert page.locator(".cell").count() == 12
    assert page.locator(".cell.dead").count() == (with_pictures.codebook.usage == 0).sum()
    page.locator('[data-at="1:2"]').click()
    page.get_by_role("heading", name="Position 1, symbol 2").wait_for()
    given = (with_pictures.symbols[:, 1] == 2).sum()
    assert f"{given} of 88 pictures" in page.locator(".card").inner_text()
    assert page.url.endswith("#/symbol/1/2")
    assert_loaded(page, ".card .picture img")
    assert page.locator(".card .picture img").first.get_attribute("loading") == "lazy"


def test_labels_are_text_and_never_markup(address, visit):
    page = visit(address)
    page.wait_for_selector(".cell")
    assert page.locator(".cell b").count() == 0
    assert any("cedar <b>" in text for text in page.locator(".word").all_inner_texts())


def test_colour_by_information_stands_in_the_address(address, visit):
    page = visit(address, "symbol/0/1")
    page.get_by_role("button", name="what it tells about the label").click()
    page.wait_for_url("**/#/symbol/0/1?colour=information")
    page.get_by_text("bits", exact=False).first.wait_for()
    page.locator('[data-at="2:0"]').click()
    page.wait_for_url("**/#/symbol/2/0?colour=information")


def test_the_keyboard_reaches_every_square(address, visit):
    page = visit(address)
    page.wait_for_selector(".cell")
    page.locator('.cell[tabindex="0"]').focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.at") == "1:1"
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Position 1, symbol 1").wait_for()
    assert page.evaluate("document.activeElement.dataset.at") == "1:1", "the place on the map is kept"


def test_combinations_are_counted_and_can_be_shared(address, visit, with_pictures):
    symbols = with_pictures.symbols
    first = visit(address, "combine")
    first.locator('[data-at="0:1"]').click()
    first.wait_for_url("**has=0:1")
    for presses in ("has", "lacks"):
        first.locator('[data-at="2:3"]').click()
        first.wait_for_url(f"**{presses}=2:3*")
    expected = ((symbols[:, 0] == 1) & (symbols[:, 2] != 3)).sum()
    first.locator("#matches", has_text=str(expected)).wait_for()
    shared = visit(first.url.partition("#/")[0].rstrip("/"), first.url.partition("#/")[2])
    shared.locator("#matches", has_text=str(expected)).wait_for()
    assert shared.locator(".terms li").count() == 2
    assert shared.locator('[data-at="2:3"]').get_attribute("data-term") == "lacks"
    shared.get_by_role("button", name="Remove position 0, symbol 1").click()
    shared.locator("#matches", has_text=str((symbols[:, 2] != 3).sum())).wait_for()


def test_another_symbol_of_a_position_takes_the_place_of_the_first(address, visit):
    page = visit(address, "combine?has=0:1")
    page.locator('[data-at="0:2"]').click()
    page.wait_for_url("**#/combine?has=0:2")
    assert page.locator(".terms li").count() == 1


def test_an_item_shows_its_code_its_neighbours_and_why(address, visit, with_pictures):
    page = visit(address, "query/5")
    page.wait_for_selector(".neighbour")
    code = [str(symbol) for symbol in with_pictures.symbols[with_pictures.place(5)]]
    assert page.locator(".strip .chip").all_inner_texts() == code
    for near in page.locator(".neighbour").all():
        chips = near.locator(".code").first.locator(".chip")
        marks = ["same" in mark.get_attribute("class") for mark in chips.all()]
        assert marks == [text == own for text, own in zip(chips.all_inner_texts(), code, strict=True)]
    page.locator("details:not([open]) summary", has_text="Why?").first.click()
    assert page.locator("table.why:visible").count() == 2
    page.locator(".neighbour .picture").first.click()
    page.wait_for_url(lambda url: "#/query/" in url and not url.endswith("/5"))


@pytest.mark.parametrize("how", ["drop", "choose"])
def test_a_picture_of_ones_own_is_coded(address, visit, with_pictures, how):
    body = io.BytesIO()
    picture = Image.fromarray(np.random.default_rng(5).integers(0, 256, (4, 4)).astype(np.uint8))
    picture.save(body, "PNG")
    page = visit(address, "query")
    page.wait_for_selector(".drop")
    if how == "drop":
        page.evaluate(DROP, base64.b64encode(body.getvalue()).decode())
    else:
        page.set_input_files("input[type=file]", {"name": "a.png", "mimeType": "image/png", "buffer": body.getvalue()})
    page.get_by_role("heading", name="Your picture").wait_for()
    values = with_pictures.route.features(picture.convert("RGB")).values
    code = with_pictures.model.encode(values).unpack()[0]
    assert page.locator(".strip .chip").all_inner_texts() == [str(symbol) for symbol in code]
    assert page.locator(".neighbour").count() > 0


def test_a_picture_that_is_none_gets_one_line(address, visit):
    page = visit(address, "query")
    page.wait_for_selector(".drop")
    page.set_input_files("input[type=file]", {"name": "a.png", "mimeType": "image/png", "buffer": b"nothing"})
    page.get_by_role("alert").filter(has_text="expected a picture; the 7 bytes that came are none").wait_for()


def test_accuracy_is_drawn(address, visit):
    page = visit(address, "accuracy")
    page.wait_for_selector(".chart circle")
    assert page.locator(".chart circle").count() == 3


def test_the_skip_link_reaches_the_content_and_keeps_the_choice(address, visit):
    page = visit(address, "combine?has=0:1")
    page.wait_for_selector("#matches")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.url.endswith("#/combine?has=0:1")
    page.get_by_role("heading", name="Combine symbols").wait_for()


def test_every_view_is_named_in_full_on_a_phone(address, visit):
    page = visit(address, wide=360)
    page.wait_for_selector(".cell")
    assert (
        page.evaluate(
            "(() => { const nav = document.querySelector('nav'); return nav.scrollWidth - nav.clientWidth })()"
        )
        == 0
    )


def test_an_address_that_is_wrong_gets_one_line(address, visit):
    page = visit(address, "combine?has=x")
    page.get_by_role("alert").filter(has_text="expected a position and a symbol such as 2:5; got 'x'").wait_for()
    assert "undefined" not in page.locator("main").inner_text()


@pytest.mark.parametrize("path", ["", "symbol/0/1", "combine?has=0:1&lacks=1:2", "query", "query/5", "accuracy"])
def test_nothing_is_wider_than_a_phone(address, visit, path):
    page = visit(address, path, wide=360)
    page.wait_for_load_state("networkidle")
    page.wait_for_selector("h2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_dark_mode_is_dark(address, visit):
    lightness = {}
    for scheme in ("light", "dark"):
        page = visit(address, color_scheme=scheme)
        page.wait_for_selector(".cell")
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness[scheme] = sum(int(part) for part in colour.removeprefix("rgb(").rstrip(")").split(","))
    assert lightness["dark"] < 150
    assert lightness["light"] > 600


def test_items_without_pictures_are_told_by_their_codes(codes_alone, running, visit):
    with running(codes_alone) as address:
        page = visit(address, "query/4")
        page.wait_for_selector(".neighbour")
        assert page.locator("main img").count() == 0
        assert "item 4" in page.locator(".asked").inner_text().lower()
        assert "takes feature vectors, not pictures" in page.locator("main").inner_text()


def test_a_vector_of_another_length_gets_one_line(codes_alone, running, visit):
    with running(codes_alone) as address:
        page = visit(address, "query")
        page.get_by_text("Paste a vector", exact=True).click()
        page.get_by_label("Features").fill("1, 2 3")
        page.get_by_role("button", name="Find neighbours").click()
        page.get_by_role("alert").filter(has_text="expected 16 features, as in training; got 3").wait_for()
        page.get_by_label("Features").fill(" ".join(["1"] * 16))
        page.get_by_role("button", name="Find neighbours").click()
        page.get_by_role("heading", name="Your vector").wait_for()
        assert "bits away" in page.locator(".neighbour").first.inner_text()


def test_a_key_is_asked_for_once(with_pictures, running, visit):
    with running(with_pictures, key="a-good.key_1") as address:
        page = visit(address, "query/5")
        page.get_by_label("API key").fill("a-wrong.key_1")
        page.get_by_role("button", name="Open").click()
        page.get_by_role("alert").wait_for()
        page.get_by_label("API key").fill("a-good.key_1")
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector(".neighbour")
        assert_loaded(page, ".portrait")
        page.reload()
        page.wait_for_selector(".neighbour")
