"""Texts of several columns and of lists, and the rules that matches keep, in every kind of data."""

from __future__ import annotations

from typing import Any

import lookalike
import pytest

LONG = "the notice period is thirty days from receipt of written notice by either party to this agreement"
OTHER = "markets fall for the third day in a row while the storm moves north along the coast at night"
ROWS: list[dict[str, Any]] = [
    {"title": OTHER, "messages": [{"role": "user", "content": LONG}, {"role": "assistant", "content": "yes"}], "group": 1},
    {
        "title": OTHER,
        "messages": [{"role": "user", "content": LONG.replace("written", "printed")}, {"role": "assistant", "content": "yes"}],
        "group": 2,
    },
    {"title": LONG, "messages": [{"role": "user", "content": LONG}], "group": 1},
    {"title": None, "messages": None, "group": 1},
]


def frames() -> list[Any]:
    """The same rows as lists of dicts, as columns, and as tables of Arrow and polars."""
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    return [
        ROWS,
        {name: [row[name] for row in ROWS] for name in ROWS[0]},
        pyarrow.Table.from_pylist(ROWS),
        polars.DataFrame(ROWS),
    ]


def removed(data: Any, **arguments: Any) -> list[tuple[int, int]]:
    found = lookalike.dedup(data, threshold=0.45, keep="first", **arguments).removed
    return list(zip(found["removed_row"], found["kept_row"], strict=True))


def test_lists_and_several_columns_become_one_text() -> None:
    for data in frames():
        assert removed(data, text="messages[].content") == [(1, 0), (2, 0)]
        assert removed(data, purpose="chat") == [(1, 0), (2, 0)]
        assert removed(data, text="title,messages[].content") == [(1, 0)]
        assert removed(data, text="title,messages[].content", each_field=True) == [(1, 0)]


def test_groups_are_compared_apart() -> None:
    for data in frames():
        assert removed(data, text="messages[].content", within="group") == [(2, 0)]


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(lookalike.ColumnError, match="body"):
        lookalike.dedup(ROWS, text="title,body")


def test_the_best_source_is_kept() -> None:
    rows = [{"text": LONG, "site": site, "score": score} for site, score in [("a", 3), ("b", 1), ("b", 2)]]
    assert lookalike.dedup(rows, source="site", keep="source:b>*,max:score").kept == [2]
    assert lookalike.dedup(rows, source="site").removed["cluster_sources"] == [2, 2]
