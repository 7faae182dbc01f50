"""Every kind of data in, and the same kind out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import lookalike
import numpy as np
import pytest

TEXTS = ["the storm hit the coast", "a quiet day", "The storm hit the coast!", None, "a quiet day"]
KEPT = [0, 1, 3]


def table() -> dict[str, list[Any]]:
    return {"n": [0, 1, 2, 3, 4], "text": list(TEXTS), "other": [1.5, None, 2.5, 3.5, None]}


def test_a_list_a_tuple_and_an_array_of_texts() -> None:
    assert lookalike.dedup(TEXTS).select(TEXTS) == [TEXTS[row] for row in KEPT]
    assert lookalike.dedup(tuple(TEXTS)).select(tuple(TEXTS)) == tuple(TEXTS[row] for row in KEPT)
    array = np.array(TEXTS, dtype=object)
    assert lookalike.dedup(array).select(array).tolist() == [TEXTS[row] for row in KEPT]
    assert lookalike.dedup(text for text in TEXTS).kept == KEPT


def test_half_of_a_surrogate_pair_is_one_replacement() -> None:
    assert lookalike.dedup(["a b c d \ud800", "a b c d \ufffd", "x"]).removed.to_dicts()[0]["exact_copy"]


def test_polars_frames_and_series() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(table())
    result = lookalike.dedup(frame)
    selected = result.select(frame)
    assert isinstance(selected, polars.DataFrame)
    assert selected["n"].to_list() == KEPT
    assert selected.columns == frame.columns
    for kind in (polars.Categorical, polars.Binary, polars.String):
        assert lookalike.dedup(frame.with_columns(polars.col("text").cast(kind))).kept == KEPT
    series = frame["text"]
    assert lookalike.dedup(series).select(series).to_list() == [TEXTS[row] for row in KEPT]
    assert lookalike.dedup(frame.slice(1, 3)).kept == [0, 1, 2]
    many = polars.concat([frame, frame], rechunk=False)
    assert lookalike.dedup(many).kept == [0, 1, 3, 8]
    lazy = frame.lazy()
    assert lookalike.dedup(lazy).select(lazy).collect()["n"].to_list() == KEPT


def test_pandas_frames_and_series() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table(), index=[9, 8, 7, 6, 5])
    selected = lookalike.dedup(frame).select(frame)
    assert isinstance(selected, pandas.DataFrame)
    assert selected["n"].tolist() == KEPT
    assert selected.index.tolist() == [9, 8, 6]
    for kind in ("object", "string", "category"):
        assert lookalike.dedup(frame.astype({"text": kind})).kept == KEPT
    assert lookalike.dedup(frame.iloc[1:4]).kept == [0, 1, 2]
    assert lookalike.dedup(frame["text"]).select(frame["text"]).index.tolist() == [9, 8, 6]
    twice = pandas.concat([frame, frame[["n"]]], axis=1)
    assert lookalike.dedup(twice).kept == KEPT
    with pytest.raises(lookalike.ColumnError, match="2 columns are called 'text'"):
        lookalike.dedup(pandas.concat([frame, frame[["text"]]], axis=1))


def test_pyarrow_tables_batches_and_columns() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    frame = pyarrow.table(table())
    assert lookalike.dedup(frame).select(frame)["n"].to_pylist() == KEPT
    batch = frame.to_batches()[0]
    assert lookalike.dedup(batch).select(batch).column(0).to_pylist() == KEPT
    assert lookalike.dedup(frame["text"]).kept == KEPT
    assert lookalike.dedup(frame["text"].chunk(0)).kept == KEPT
    batches = pyarrow.concat_tables([frame.slice(0, 2), frame.slice(2)]).to_batches()
    parts = lookalike.dedup(batches).select(batches)
    assert [value for part in parts for value in part.column(0).to_pylist()] == KEPT
    assert lookalike.dedup(pyarrow.table({"text": pyarrow.nulls(3)})).kept == [0, 1, 2]
    assert lookalike.dedup(frame.slice(0, 0)).kept == []
    twice = pyarrow.Table.from_arrays([frame["n"], frame["n"], frame["text"]], names=["n", "n", "text"])
    assert lookalike.dedup(twice).kept == KEPT
    with pytest.raises(lookalike.ColumnError, match="2 columns are called 'n'"):
        lookalike.dedup(twice, id="n")


def test_pyarrow_datasets_and_readers_are_read_once(tmp_path: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    dataset = pytest.importorskip("pyarrow.dataset")
    parquet.write_table(pyarrow.table(table()), tmp_path / "t.parquet")
    assert lookalike.dedup(dataset.dataset(tmp_path / "t.parquet")).kept == KEPT
    assert lookalike.dedup(parquet.ParquetFile(tmp_path / "t.parquet").iter_batches(batch_size=2), memory="64M").kept == KEPT
    result = lookalike.dedup(pyarrow.table(table()).to_reader(), id="n")
    assert result.removed["removed_id"] == [2, 4]
    with pytest.raises(lookalike.OptionError, match="kept, removed_rows or mask"):
        result.select(iter([]))


def test_duckdb_relations() -> None:
    duckdb = pytest.importorskip("duckdb")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pyarrow.table(table())
    relation = duckdb.from_arrow(frame)
    selected = lookalike.dedup(relation).select(relation)
    assert type(selected) is type(relation)
    assert [row[0] for row in selected.fetchall()] == KEPT


def test_datasets_also_filtered_and_shuffled() -> None:
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict(table())
    assert data.select(lookalike.dedup(data).kept)["n"][:] == KEPT
    assert lookalike.dedup(data).select(data)["n"][:] == KEPT
    # The rows of the table below are others, in another order.
    other = data.select([4, 3, 2, 1])
    assert lookalike.dedup(other).select(other)["n"][:] == [4, 3, 2]
    shuffled = data.shuffle(seed=3)
    assert lookalike.dedup(shuffled).kept == lookalike.dedup(list(shuffled["text"])).kept
    filtered = data.filter(lambda row: row["n"] != 0)
    assert lookalike.dedup(filtered).kept == [0, 1, 2]
    assert lookalike.dedup(data, against=data.select([0])).kept == [1, 3]
    assert lookalike.dedup(data.to_iterable_dataset()).kept == KEPT
    with pytest.raises(lookalike.OptionError, match="train"):
        lookalike.dedup(datasets.DatasetDict({"train": data}))


def test_any_object_with_the_capsule_interface() -> None:
    pyarrow = pytest.importorskip("pyarrow")

    if not hasattr(pyarrow.Table, "__arrow_c_stream__"):
        pytest.skip("this pyarrow does not know the interface")

    class Foreign:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return pyarrow.table(table()).__arrow_c_stream__(requested_schema)

    assert lookalike.dedup(Foreign()).kept == KEPT


def test_ids_of_every_type_and_values_that_are_missing() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    import datetime
    import decimal
    import pickle

    noon = datetime.datetime(2026, 1, 1, 12, 0, 0, 250_000)
    ids: list[Callable[[int], Any]] = [
        str,
        int,
        float,
        lambda at: datetime.date(2026, 1, at + 1),
        lambda at: at == 0,
        lambda at: (noon + datetime.timedelta(hours=at)).time(),
        lambda at: noon + datetime.timedelta(days=at),
        lambda at: (noon + datetime.timedelta(days=at)).replace(tzinfo=datetime.UTC),
        lambda at: decimal.Decimal(f"{at}.50"),
        lambda at: f"id {at}".encode(),
    ]
    for of in ids:
        frame = pyarrow.table({"text": ["a b c d e", "A b c d e"], "id": [of(0), of(1)]})
        result = lookalike.dedup(frame, id="id")
        assert result.removed["removed_id"] == [of(1)] and result.removed["kept_id"] == [of(0)]
        assert type(result.removed["removed_id"][0]) is type(of(1))
        assert pickle.loads(pickle.dumps(result.removed["removed_id"])).to_list() == [of(1)]
        # Versions before 14 do not take tables of others.
        if hasattr(pyarrow.Table, "__arrow_c_stream__"):
            assert pyarrow.table(result.removed).schema.field("removed_id").type == frame.schema.field("id").type
    days = [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]
    times = [datetime.time(12), datetime.time(13, 30, 5)]
    for kind, values in [
        (pyarrow.date64(), days),
        (pyarrow.time32("s"), times),
        (pyarrow.time32("ms"), times),
        (pyarrow.time64("us"), times),
        (pyarrow.time64("ns"), times),
    ]:
        column = pyarrow.array(values, kind)
        frame = pyarrow.table({"text": ["a b c d e", "A b c d e"], "id": column, "name": ["ann lee", "ann lee"]})
        found = [lookalike.dedup(frame, id="id").removed["removed_id"]]
        found.append(lookalike.dedup(iter(frame.to_batches()), id="id", memory="64M").removed["removed_id"])
        found.append(lookalike.sets(frame, set="id", element="name", threshold=0.5)["right_id"])
        for ids in found:
            assert pyarrow.array(ids).type == kind, (kind, ids)
            assert ids[-1] == values[1] and pickle.loads(pickle.dumps(ids)).to_list() == ids.to_list()
    frame = pyarrow.table({"text": ["a b c d e", "A b c d e"], "id": pyarrow.array([None, "x"])})
    assert lookalike.dedup(frame, id="id").removed["kept_id"] == [None]


def test_zero_rows_and_no_text_at_all(caplog: pytest.LogCaptureFixture) -> None:
    assert lookalike.dedup([]).kept == []
    assert len(lookalike.dedup([]).rows) == 0
    assert lookalike.dedup([None, None]).kept == [0, 1]
    pyarrow = pytest.importorskip("pyarrow")
    if not hasattr(pyarrow.Table, "__arrow_c_stream__"):
        return
    with caplog.at_level(logging.WARNING, logger="lookalike"):
        skipped = lookalike.dedup(pyarrow.table({"text": pyarrow.array([b"\xff\xfe", b"a b"])}))
    assert skipped.kept == [0, 1]
    assert skipped.summary["input"]["skipped_count"] == 1
    assert "1 rows were skipped" in caplog.text


def test_a_table_is_exported_any_number_of_times() -> None:
    removed = lookalike.dedup(TEXTS).removed
    pyarrow, polars, pandas = (pytest.importorskip(name) for name in ("pyarrow", "polars", "pandas"))
    knows = hasattr(pyarrow.Table, "__arrow_c_stream__")
    for _ in range(2):
        assert (pyarrow.table(removed) if knows else removed.to_arrow())["removed_row"].to_pylist() == [2, 4]
        assert (polars.DataFrame(removed) if knows else removed.to_polars())["kept_row"].to_list() == [0, 1]
        assert isinstance(removed.to_pandas(), pandas.DataFrame)
        assert removed.to_polars().shape == removed.to_arrow().shape
    assert removed.to_dicts()[0]["removed_row"] == 2


def test_a_reference_need_not_have_the_columns_of_the_data() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": TEXTS, "name": list("abcde")})
    reference = pandas.DataFrame({"text": ["A quiet day."]})
    for against in (reference, ["A quiet day."], reference.assign(name=["z"])):
        assert lookalike.dedup(frame, id="name", against=against).kept == [0, 3]
        assert lookalike.pairs(frame, id="name", against=against)["left_id"] == ["b", "e"]
