"""Rows are selected as they were compared; what is computed anew each time is read once, or refused at once."""

from __future__ import annotations

import logging
import random
from typing import Any

import datasets
import duckdb
import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
from conftest import texts_of

TEXTS = ["the storm hit the coast", "a quiet day", "The storm hit the coast!", None, "a quiet day"]
KEPT = [0, 1, 3]


class Shuffling:
    """Stand-in for a query: each time it is computed, its rows come in another order."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = rows
        self.draw = random.Random(1)
        self.times = 0

    def lazy(self) -> pl.LazyFrame:
        def shuffled(frame: pl.DataFrame) -> pl.DataFrame:
            self.times += 1
            return frame.sample(fraction=1, shuffle=True, seed=self.draw.randrange(1 << 30))

        return self.rows.lazy().map_batches(shuffled)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    texts = texts_of(11, 600)
    return pl.DataFrame({"id": list(range(len(texts))), "text": texts})


def is_right(result: lookalike.Dedup, selected: list[int], all_ids: list[int]) -> None:
    """Exactly the rows that the evidence does not name as removed are selected."""
    removed = set(result.removed["removed_id"])
    assert len(removed) == len(result.removed) > 0
    assert set(selected) == set(all_ids) - removed
    assert len(selected) == len(all_ids) - len(removed)


def test_a_lazy_frame_that_shuffles_its_rows_is_computed_once(frame: pl.DataFrame, caplog: pytest.LogCaptureFixture) -> None:
    query = Shuffling(frame)
    lazy = query.lazy()
    with caplog.at_level(logging.INFO, logger="lookalike"):
        result = lookalike.dedup(lazy, id="id")
    assert "the LazyFrame was computed once" in caplog.text
    selected = result.select(lazy)
    assert isinstance(selected, pl.LazyFrame)
    assert query.times == 1
    is_right(result, selected.collect()["id"].to_list(), frame["id"].to_list())


def test_a_lazy_frame_after_unique_gives_back_the_rows_that_were_compared(frame: pl.DataFrame) -> None:
    for _ in range(3):
        lazy = frame.lazy().unique("text")
        result = lookalike.dedup(lazy, id="id")
        ids = [*result.select(lazy).collect()["id"], *result.removed["removed_id"]]
        assert len(ids) == len(set(ids)) == len(result) == frame["text"].n_unique()


def test_a_relation_with_group_by_gives_back_the_rows_that_were_compared(frame: pl.DataFrame) -> None:
    rows = frame.to_arrow()
    for _ in range(3):
        relation = duckdb.sql("select any_value(id) as id, text from rows group by text")
        result = lookalike.dedup(relation, id="id")
        selected = result.select(relation)
        assert type(selected) is type(relation)
        ids = [*(row[0] for row in selected.fetchall()), *result.removed["removed_id"]]
        assert len(ids) == len(set(ids)) == len(result) == frame["text"].n_unique()
    assert len(rows) == len(frame)


def test_pairs_that_are_resolved_select_the_same_rows(frame: pl.DataFrame) -> None:
    lazy = Shuffling(frame).lazy()
    pairs = lookalike.pairs(lazy, id="id")
    result = lookalike.resolve(pairs, rows=len(frame))
    is_right(result, result.select(lazy).collect()["id"].to_list(), frame["id"].to_list())


def test_what_is_computed_again_is_refused_with_the_remedy(frame: pl.DataFrame) -> None:
    lazy = frame.lazy()
    table = frame.to_arrow()
    relation = duckdb.from_arrow(table)
    of_frame = lookalike.dedup(frame)
    for data in (lazy, relation):
        with pytest.raises(lookalike.OptionError, match="computed anew each time") as raised:
            of_frame.select(data)
        assert raised.value.option == "data"
        # Nor are other rows taken for those of a query.
        computed = lookalike.dedup(data)
        for other in (frame, frame.lazy(), duckdb.from_arrow(table), table):
            with pytest.raises(lookalike.OptionError, match="the very object that was deduplicated"):
                computed.select(other)


def test_a_column_is_missed_before_a_query_is_computed(frame: pl.DataFrame) -> None:
    query = Shuffling(frame)
    with pytest.raises(lookalike.ColumnError, match="no column 'body' for text=: the columns are id, text"):
        lookalike.dedup(query.lazy(), text="body")
    assert query.times == 0


def test_a_relation_is_deduplicated_without_pyarrow_and_says_what_select_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> None:
        raise ImportError("no pyarrow")

    table = pa.table({"text": TEXTS, "n": list(range(5))})
    relation = duckdb.from_arrow(table)
    monkeypatch.setattr("lookalike._data._arrow_table", missing)
    result = lookalike.dedup(relation, id="n")
    assert result.kept == KEPT and result.removed["removed_id"] == [2, 4]
    with pytest.raises(lookalike.OptionError, match="pyarrow, which is not installed"):
        result.select(relation)


def once() -> dict[str, Any]:
    table = pa.table({"text": TEXTS})
    data = pyarrow.dataset.dataset(table)
    return {
        "to_table": data,
        "to_table()": data.scanner(),
        "read_all": table.to_reader(),
        "load it as a Dataset": datasets.Dataset.from_dict({"text": TEXTS}).to_iterable_dataset(),
        "make a list": iter(table.to_batches()),
        "make a list of it": (text for text in TEXTS),
    }


@pytest.mark.parametrize("advice", once())
def test_what_is_read_only_once_says_what_to_do(advice: str) -> None:
    data = once()[advice]
    result = lookalike.dedup(data)
    assert result.kept == KEPT
    with pytest.raises(lookalike.OptionError, match="read only once") as raised:
        result.select(data)
    assert advice.rstrip("()") in str(raised.value) and "kept, removed_rows or mask" in str(raised.value)


def test_a_dict_of_columns_is_a_table() -> None:
    data = {"n": np.arange(5), "text": TEXTS, "tag": pa.array(list("abcde")), "s": pd.Series(list("vwxyz"))}
    result = lookalike.dedup(data, id="n", source="tag")
    assert result.kept == KEPT and result.removed["removed_id"] == [2, 4]
    selected = result.select(data)
    assert selected["text"] == [TEXTS[row] for row in KEPT]
    assert (
        selected["n"].tolist() == KEPT
        and selected["tag"].to_pylist() == ["a", "b", "d"]
        and list(selected["s"]) == ["v", "w", "y"]
    )
    with pytest.raises(lookalike.ColumnError, match="no column 'text' for text=: the columns are body"):
        lookalike.dedup({"body": ["a"]})
    with pytest.raises(lookalike.OptionError, match="n has 1, text has 2"):
        lookalike.dedup({"n": [1], "text": ["a", "b"]})
    with pytest.raises(lookalike.OptionError, match="list\\(data.values\\(\\)\\)"):
        lookalike.dedup({"monday": "the storm", "tuesday": "a quiet day"})


def test_an_array_of_pandas_is_a_list_of_texts() -> None:
    for array in (
        pd.array(["a b", "A b!", "c"], dtype="string"),
        pd.Categorical(["a b", "A b!", "c"]),
        pd.Index(["a b", "A b!", "c"]),
    ):
        selected = lookalike.dedup(array, keep="first").select(array)
        assert type(selected) is type(array) and list(selected) == ["a b", "c"]


def test_a_list_of_dicts_is_a_table() -> None:
    data = [{"text": text, "n": row} for row, text in enumerate(TEXTS)]
    result = lookalike.dedup(data, id="n", keep="max:n")
    assert result.select(data) == [data[row] for row in (2, 3, 4)]
    assert lookalike.dedup([{"n": 1}, *data[:1]], text="text").kept == [0, 1]
    assert lookalike.dedup(iter(data)).kept == KEPT
    with pytest.raises(lookalike.ColumnError, match="the columns are text, n"):
        lookalike.dedup(data, text="body")
    with pytest.raises(lookalike.OptionError, match="row 1 of data= is of the type str"):
        lookalike.dedup([{"text": "a"}, "b"])
    assert lookalike.dedup(data, against=data[:1], id="n").removed["kept_id"] == [0, 0, 1]


def test_a_column_of_a_dataset_is_a_list_of_texts() -> None:
    data = datasets.Dataset.from_dict({"text": TEXTS, "n": list(range(5))})
    assert lookalike.dedup(data["text"]).kept == KEPT
    assert lookalike.dedup(data["text"]).select(data["text"])[:] == [TEXTS[row] for row in KEPT]
    part = data.select([4, 3, 2, 1])
    assert lookalike.dedup(part["text"]).kept == lookalike.dedup(part).kept == [0, 1, 2]


def empty() -> dict[str, Any]:
    table = pa.table({"text": pa.array([], pa.string()), "n": pa.array([], pa.int64())})
    return {
        "polars": pl.DataFrame({"text": [], "n": []}),
        "polars without columns": pl.DataFrame(),
        "polars lazy": pl.LazyFrame({"text": [], "n": []}),
        "pandas": pd.DataFrame({"text": [], "n": []}),
        "pandas of a header": pd.DataFrame(columns=["text", "n"]),
        "pandas without columns": pd.DataFrame(),
        "pyarrow": table,
        "pyarrow of nulls": pa.table({"text": [], "n": []}),
        "pyarrow batches": [*table.to_batches()],
        "pyarrow reader": table.to_reader(),
        "pyarrow dataset": pyarrow.dataset.dataset(table),
        "duckdb": duckdb.from_arrow(table),
        "datasets": datasets.Dataset.from_dict({"text": [], "n": []}),
        "datasets without columns": datasets.Dataset.from_list([]),
        "dict": {"text": [], "n": []},
        "empty dict": {},
        "list": [],
        "numpy": np.array([], dtype=str),
        "generator": (text for text in ()),
    }


@pytest.mark.parametrize("kind", empty())
def test_data_without_rows_has_a_result_without_rows(kind: str) -> None:
    data = empty()[kind]
    result = lookalike.dedup(data, id="n")
    assert result.kept == [] and len(result) == 0 and len(result.removed) == 0 and result.removed["removed_id"] == []
    if kind not in ("pyarrow reader", "pyarrow dataset", "generator"):
        selected = result.select(data)
        assert type(selected) is type(data)
    assert len(lookalike.pairs(empty()[kind], id="n")) == 0
    assert len(lookalike.sketch(empty()[kind])) == 0


def test_an_empty_text_column_of_a_frame_is_searched_for_nothing(tmp_path: Any) -> None:
    index = lookalike.Index.create(tmp_path / "index")
    nothing = pl.DataFrame({"text": [], "id": []}, schema={"text": pl.String, "id": pl.Int64})
    assert index.add(nothing, id="id")["added_count"] == 0
    assert len(index.search_many(nothing)) == 0
