"""Names where there is little room."""

import pytest

from dimco.reports.one_line import one_line


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
