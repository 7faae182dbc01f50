"""Errors name arguments of Python, say what would help, and have what they are about as attributes."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import lookalike
import pyarrow as pa
import pytest


def test_a_wrong_column_names_the_columns_that_exist() -> None:
    frame = pa.table({"body": ["a"], "url": ["b"]})
    for data in (frame, frame.to_batches(), frame.to_reader(), frame.to_pandas()):
        message = "^there is no column 'text' for text=: the columns are body, url$"
        with pytest.raises(lookalike.ColumnError, match=message) as raised:
            lookalike.dedup(data)
        assert (raised.value.column, raised.value.option) == ("text", "text")
        assert list(raised.value.columns) == ["body", "url"]
        assert isinstance(raised.value, KeyError) and isinstance(raised.value, lookalike.LookalikeError)
    with pytest.raises(lookalike.ColumnError, match="no column 'score' for keep=:"):
        lookalike.dedup(frame, text="body", keep="max:score")


def test_a_wrong_column_names_the_one_that_was_meant() -> None:
    frame = pa.table({"body": ["a"], "Url": ["b"]})
    message = "^there is no column 'url' for id=: did you mean 'Url'[?] The columns are body, Url$"
    for data in (frame, frame.to_batches(), frame.to_reader(), frame.to_pandas(), frame.to_pydict(), frame.to_pylist()):
        with pytest.raises(lookalike.ColumnError, match=message) as raised:
            lookalike.dedup(data, text="body", id="url")
        assert (raised.value.column, raised.value.option) == ("url", "id")
    with pytest.raises(lookalike.ColumnError, match="no column 'boddy' for html_field=: did you mean 'body'"):
        lookalike.dedup(frame, html_field="boddy")
    with pytest.raises(lookalike.ColumnError, match="no column 'similarty': did you mean 'similarity'"):
        lookalike.dedup(["a", "a"]).removed["similarty"]


def test_a_column_of_another_type_is_named_with_its_type() -> None:
    with pytest.raises(lookalike.ColumnError, match="'text' has the type int64, and texts are needed") as raised:
        lookalike.dedup(pa.table({"text": [1, 2]}))
    assert raised.value.type == "int64"
    with pytest.raises(lookalike.ColumnError, match="row 1 of 'text' has the type int") as listed:
        lookalike.dedup(["a", 2])
    assert listed.value.row == 1


OPTIONS: list[tuple[dict[str, Any], str, str]] = [
    ({"threshold": 1.5}, "threshold", "threshold= must be above 0 and at most 1, not 1.5"),
    ({"threshold": "high"}, "threshold", 'threshold= must be a number, not string "high"'),
    ({"shingle": "words"}, "shingle", "shingle= must be word:K or char:K with K from 1 to 1000"),
    ({"fold": "case"}, "fold", "accents"),
    ({"measure": "cosine"}, "measure", "measure= must be jaccard or containment, not cosine"),
    ({"method": "lsh"}, "method", "method= must be minhash, simhash, supershingle, exact or copies, not lsh"),
    ({"keep": "best"}, "keep", "longest"),
    ({"group": "families"}, "group", "group= must be independent or components, not families"),
    ({"bands": 20}, "bands", "needs rows="),
    ({"recall": 0.9, "bands": 2, "rows": 3}, "recall", "recall= cannot be combined with bands="),
    ({"bits": 3}, "bits", 'method="simhash"'),
    ({"threads": 0}, "threads", "threads= must be from 1 to 1024, not 0"),
    ({"threads": 5000}, "threads", "1 to 1024"),
    ({"memory": "much"}, "memory", "500M"),
    ({"max_record": 0}, "max_record", "from 1 to 2G"),
    ({"only_against": True}, "only_against", "needs against="),
    ({"measure": "containment", "keep": "first"}, "keep", 'keep= cannot be combined with measure="containment"'),
    ({"fail_if_source_loses": 2.0}, "fail_if_source_loses", "at most 1"),
]


@pytest.mark.parametrize(("arguments", "option", "words"), OPTIONS, ids=[str(case[0]) for case in OPTIONS])
def test_an_argument_that_is_not_possible_is_named(arguments: dict[str, Any], option: str, words: str) -> None:
    with pytest.raises(lookalike.OptionError) as raised:
        lookalike.dedup(["a b c"], **arguments)
    assert raised.value.option == option
    assert words in str(raised.value)
    assert "--" not in str(raised.value), "flags are for the command"
    assert isinstance(raised.value, ValueError)


def test_an_unknown_argument_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="treshold"):
        lookalike.dedup(["a"], treshold=0.8)  # type: ignore[call-arg]


def test_too_little_memory_says_how_much_is_needed() -> None:
    with pytest.raises(lookalike.OptionError, match="memory= must be at least 64.0 MB, not 1M"):
        lookalike.dedup(["a"], memory="1M")
    rows = {"print": [str(row // 40) for row in range(60_000)], "x": list(range(60_000)), "y": list(range(60_000))}
    with pytest.raises(lookalike.MemoryLimitError, match="memory=") as raised:
        lookalike.prints(rows | {"angle": [10] * 60_000}, memory="64M")
    assert raised.value.limit == 64_000_000 and raised.value.needed > 64_000_000
    assert isinstance(raised.value, MemoryError)


def test_what_cannot_be_read_or_written_has_its_path(tmp_path: Path) -> None:
    with pytest.raises(lookalike.InputError) as raised:
        lookalike.dedup_files(tmp_path / "nothing", tmp_path / "out")
    assert raised.value.path == str(tmp_path / "nothing")
    assert isinstance(raised.value, OSError)
    (tmp_path / "in.txt").write_text("a b c")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    with pytest.raises(lookalike.InputError, match="force="):
        lookalike.dedup_files(tmp_path / "in.txt", tmp_path / "out")
    with pytest.raises(lookalike.InputError, match="not an index"):
        lookalike.Index.open(tmp_path)


def test_what_is_no_data_is_refused_with_what_would_be() -> None:
    for data, words in [
        ("a text", "list of texts"),
        (7, "takes a data frame"),
        ([{"body": "a"}], "no column 'text'"),
        (iter([1]), "int"),
    ]:
        with pytest.raises(lookalike.LookalikeError, match=words):
            lookalike.dedup(data)  # type: ignore[arg-type]


def test_the_same_object_is_not_compared_with_itself() -> None:
    frame = pa.table({"text": ["a"]})
    with pytest.raises(lookalike.OptionError, match="same object"):
        lookalike.dedup(frame, against=frame)


def test_a_result_is_of_its_data_only() -> None:
    result = lookalike.dedup(["a b c", "d e f"])
    with pytest.raises(lookalike.OptionError, match="this has 1 rows, and the result is about 2"):
        result.select(["a b c"])
    for row in (2, 99, -1):
        with pytest.raises(IndexError, match=f"there is no row {row}: there are 2 rows"):
            result.explain(row)


def test_errors_survive_pickling_and_copying() -> None:
    error = lookalike.ColumnError("no column", column="text", columns=["a"])
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert str(again) == "no column"
        assert again.column == "text"
    with pytest.raises(AttributeError, match="has no field 'path'"):
        _ = error.path
