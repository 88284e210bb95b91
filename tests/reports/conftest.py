"""Shared checks of pictures."""

import itertools

import pytest


@pytest.fixture
def assert_no_texts_overlap():
    """Fail when two visible texts of a figure touch, or one leaves the figure."""

    def check(figure):
        import matplotlib.text
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
        texts = [text for text in figure.findobj(matplotlib.text.Text) if text.get_visible() and text.get_text()]
        boxes = [(text.get_text(), matplotlib.text.Text.get_window_extent(text, renderer)) for text in texts]
        for (name, box), (other, beside) in itertools.combinations(boxes, 2):
            assert not box.overlaps(beside), f"{name!r} overlaps {other!r}"
        for name, box in boxes:
            inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
            assert inside, f"{name!r} leaves the picture"

    return check
