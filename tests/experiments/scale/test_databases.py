"""Tables of the databases."""

from dimco.experiments.scale.databases import databases_view, limits_view


def test_engines_have_a_row_each_and_limits_a_column_each():
    columns = {"engine": "engine", "ms_per_query": "ms", "exact": "exact", "bytes_per_item": "bytes"}
    rows = [
        {"engine": "dimco", "ms_per_query": 0.0491, "exact": 1.0, "bytes_per_item": 16.0},
        {"engine": "qdrant", "ms_per_query": 1234.5, "exact": 0.5, "bytes_per_item": None},
    ]
    lines = databases_view({"columns": columns, "rows": rows}).splitlines()
    assert lines[2].split() == ["|", "dimco", "|", "0.0491", "|", "100", "%", "|", "16", "|"]
    assert lines[3].split() == ["|", "qdrant", "|", "1,234", "|", "50", "%", "|", "|"]
    limits = [
        {"code": "2x3", "dimensions": 6, "engine": "a", "taken": True, "ms_per_query": 1.5},
        {"code": "2x3", "dimensions": 6, "engine": "b", "taken": False, "ms_per_query": None},
    ]
    assert limits_view({"limits": limits}).splitlines()[2].split("|")[1:5] == [
        " 2x3  ",
        "     6 ",
        " 1.5 ms ",
        " refused ",
    ]
