"""Columns of results: sequences of Python over Arrow's memory, which numpy and others read in place."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import lookalike
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

TEXTS = ["the storm hit the coast", "a quiet day", "The storm hit the coast!", None, "a quiet day"]


@pytest.fixture(scope="module")
def result() -> lookalike.Dedup:
    return lookalike.dedup(TEXTS)


def test_a_column_is_a_sequence(result: lookalike.Dedup) -> None:
    kept = result.kept
    assert len(kept) == 3
    assert [kept[0], kept[2], kept[-1], kept[-3]] == [0, 3, 3, 0]
    for at in (3, -4, 99):
        with pytest.raises(IndexError, match=f"there is no value {at}: there are 3 values"):
            kept[at]
    with pytest.raises(TypeError):
        kept["a"]  # type: ignore[call-overload]
    assert list(kept) == [*kept] == kept.to_list() == [0, 1, 3]
    assert 3 in kept and 2 not in kept and "x" not in kept
    assert list(reversed(kept)) == [3, 1, 0] and kept.index(3) == 2
    assert [type(value) for value in (kept[0], result.mask[0])] == [int, bool]


def test_slices_are_columns(result: lookalike.Dedup) -> None:
    values = [True, True, False, True, False]
    for part in (
        slice(None),
        slice(1, 3),
        slice(-2, None),
        slice(3, 1),
        slice(2, 99),
        slice(None, None, 2),
        slice(None, None, -1),
    ):
        taken = result.mask[part]
        assert isinstance(taken, lookalike.Column)
        assert taken == values[part]
        assert taken.to_numpy().tolist() == values[part]
    assert result.mask[1:][1:][0] is False


def test_equality_is_by_values_in_order(result: lookalike.Dedup) -> None:
    kept = result.kept
    for same in ([0, 1, 3], (0, 1, 3), np.array([0, 1, 3]), lookalike.dedup(TEXTS).kept, pl.Series([0, 1, 3])):
        assert kept == same
        assert (kept != same) is False
    same_list = [0, 1, 3]
    assert same_list == kept
    for other in ([0, 1], [0, 1, 3, 4], [1, 0, 3], "013", 7, None, {0, 1, 3}):
        assert kept != other
    with pytest.raises(TypeError, match="unhashable"):
        hash(kept)


def test_a_column_is_shown_in_short() -> None:
    many = lookalike.dedup([f"text number {row} of many" for row in range(1000)], shingle="word:1", threshold=1)
    assert repr(many.kept) == "<lookalike.Column of 1,000 values: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...>"
    assert repr(many.removed_rows) == "<lookalike.Column of 0 values>"
    assert repr(lookalike.pairs(["a b", "a b"], id=None)["similarity"]) == "<lookalike.Column of 1 values: 1.0>"


def test_numpy_reads_columns_in_place(result: lookalike.Dedup) -> None:
    for column, dtype in (
        (result.kept, "uint64"),
        (result.removed_rows, "uint64"),
        (result.mask, "bool"),
        (result.removed["similarity"], "float64"),
        (result.removed["cluster"], "uint32"),
    ):
        once, again = column.to_numpy(), np.asarray(column)
        assert once.dtype == again.dtype == dtype
        assert np.shares_memory(once, again)
        assert once.tolist() == column.to_list() != []
        assert not once.flags.writeable
    assert np.shares_memory(result.removed["similarity"].to_numpy(), result.removed["similarity"].to_numpy())
    assert np.shares_memory(result.kept[1:].to_numpy(), result.kept.to_numpy())
    assert np.array(TEXTS, dtype=object)[result.mask].tolist() == [TEXTS[row] for row in result.kept]
    copied = np.array(result.kept)
    assert copied.flags.writeable and not np.shares_memory(copied, result.kept.to_numpy())
    assert np.asarray(result.kept, dtype="int32").tolist() == [0, 1, 3]


def test_nulls_and_texts_are_copied(result: lookalike.Dedup) -> None:
    rows = result.rows
    assert rows["kept_row"] == [None, None, 0, None, 1]
    numbers = rows["kept_row"].to_numpy()
    assert numbers.dtype == "float64" and np.isnan(numbers).tolist() == [True, True, False, True, False]
    frame = pl.DataFrame({"text": TEXTS, "id": list("abcde")})
    ids = lookalike.dedup(frame, id="id").removed["removed_id"]
    assert ids.to_numpy().dtype == object and ids.to_numpy().tolist() == ids.to_list() == ["c", "e"]
    assert lookalike.dedup(frame).removed["kept_in"].to_list() == [None, None]


def test_columns_have_the_interface_of_arrow(result: lookalike.Dedup) -> None:
    assert pa.array(result.kept).equals(pa.array([0, 1, 3], pa.uint64()))
    assert pa.array(result.mask[1:]).to_pylist() == [True, False, True, False]
    assert pa.array(result.rows["kept_row"]).null_count == 3
    # The memory is that which numpy reads.
    address = pa.array(result.kept).buffers()[1].address
    assert address == result.kept.to_numpy().ctypes.data
    assert pl.Series(result.removed["similarity"]).to_list() == result.removed["similarity"].to_list()


def test_columns_survive_pickling_and_copying(result: lookalike.Dedup) -> None:
    frame = pl.DataFrame({"text": TEXTS, "id": list("abcde")})
    ids = lookalike.dedup(frame, id="id").removed["removed_id"]
    for column in (result.kept, result.mask, result.rows["kept_row"], result.rows["cluster"], result.rows["similarity"], ids):
        for again in (pickle.loads(pickle.dumps(column)), copy.deepcopy(column)):
            assert isinstance(again, lookalike.Column)
            assert again == column
            assert again.to_numpy().dtype == column.to_numpy().dtype


def test_a_million_rows_do_not_become_objects_of_python() -> None:
    count = 1_000_000
    table = pa.table({"text": pa.nulls(count, pa.string())})
    result = lookalike.dedup(table)
    tracemalloc.start()
    kept, mask = result.kept, result.mask
    assert len(kept) == len(mask) == count
    assert kept.to_numpy().sum() == count * (count - 1) // 2 and mask.to_numpy().all()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.shares_memory(kept.to_numpy(), result.kept.to_numpy())
    assert np.shares_memory(mask.to_numpy(), result.mask.to_numpy())
    # A list of so many numbers has eight megabytes for the pointers alone.
    assert peak < 1_000_000, peak
