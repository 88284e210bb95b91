"""Names where there is little room."""

import pytest

from dimco.reports.one_line import one_line, with_share


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("cat", "cat"),
        (7, "7"),
        ("a\nb\tc ", "a b c"),
        ("12345678", "12345678"),
        ("123456789", "1234567…"),
        (" ", "(blank)"),
    ],
)
def test_a_name_is_one_line_of_so_many_letters(name, shown):
    assert one_line(name, 8) == shown


def test_a_share_is_told_from_a_number_before_it():
    assert with_share("cat", 0.5) == "cat 50 %"
    assert with_share(4, 0.52) == "4: 52 %"
    assert with_share("class 4", 1) == "class 4: 100 %"
