"""The decisions are those of ``lookalike.dedup`` on the same rows, whatever the parameters, on an engine in this process.

Sail speaks Spark Connect and needs no Java, so the whole exchange is tried here for many parameters; ``test_cluster.py``
has what needs a cluster.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import lookalike
import lookalike.spark
import pytest
from sessions import check, frame_of, rows_of, table_of

MINHASH = {"method": "minhash"}
CASES: list[dict[str, Any]] = [
    {},
    MINHASH,
    {**MINHASH, "threshold": 0.5, "shingle": "word:3"},
    {**MINHASH, "keep": "first", "id": "id"},
    {**MINHASH, "keep": "last", "group": "components"},
    {**MINHASH, "keep": "max:score", "source": "host"},
    {"measure": "containment", "exact": True},
    {**MINHASH, "shingle": "char:5", "fold": ["accents", "digits"]},
    {**MINHASH, "bands": 25, "rows": 4, "sketch": "classic"},
    {**MINHASH, "keep": "max:rare"},
    {**MINHASH, "keep": "source:h1>*,min:rare,longest", "source": "host"},
    {"method": "supershingle"},
    {"method": "copies"},
    {"exact": True, "threshold": 0.6},
]


@pytest.mark.parametrize("options", CASES, ids=[str(options) for options in CASES])
def test_every_parameter_decides_as_it_does_on_one_machine(sail: Any, tmp_path: Path, options: dict[str, Any]) -> None:
    rows = rows_of(7, 500)
    result = lookalike.spark.dedup(
        sail, frame=frame_of(sail, rows), order="number", work=tmp_path / "work", partitions=3, batch_bytes=5_000, **options
    )
    check(result, lookalike.dedup(table_of(rows), **options))


@pytest.mark.parametrize(("partitions", "batch_bytes"), [(1, 1), (2, 1 << 30), (64, 2_000)])
def test_partitions_and_batches_change_nothing(sail: Any, tmp_path: Path, partitions: int, batch_bytes: int) -> None:
    rows = rows_of(3, 400)
    given: dict[str, Any] = {"partitions": partitions, "batch_bytes": batch_bytes, "work": tmp_path / "work"}
    result = lookalike.spark.dedup(sail, frame=frame_of(sail, rows), order="number", **given, **MINHASH)
    check(result, lookalike.dedup(table_of(rows), **MINHASH))


@pytest.mark.parametrize("only", [False, True])
def test_a_reference_decides_as_it_does_on_one_machine(sail: Any, tmp_path: Path, only: bool) -> None:
    rows, reference = rows_of(7, 400), rows_of(7, 60)[::3]
    options: dict[str, Any] = {**MINHASH, "only_against": only, "id": "id"}
    given: dict[str, Any] = {"order": "number", "work": tmp_path / "work", "partitions": 3, "batch_bytes": 5_000}
    result = lookalike.spark.dedup(sail, frame=frame_of(sail, rows), against=frame_of(sail, reference), **given, **options)
    expected = lookalike.dedup(table_of(rows), against=table_of(reference), **options)
    check(result, expected)
    assert result.summary["found"]["removed_by_reference_count"] == expected.summary["found"]["removed_by_reference_count"] > 0


def test_what_provokes_large_families_is_decided_the_same(sail: Any, tmp_path: Path) -> None:
    draw = random.Random(5)
    words = [f"w{number}" for number in range(400)]
    template = draw.choices(words, k=40)
    texts = [" ".join([*template, str(number)]) for number in range(300)]
    texts += ["the same text of a few words again"] * 500
    # A chain: each is like the next, and the first is not like the last.
    chain = draw.choices(words, k=60)
    for number in range(60):
        chain = [*chain[1:], f"link{number}"]
        texts.append(" ".join(chain))
    rows = [{"number": at, "id": f"n{at}", "text": text, "host": "h", "score": 0} for at, text in enumerate(texts)]
    given: dict[str, Any] = {"order": "number", "work": tmp_path / "work", "partitions": 3, "batch_bytes": 5_000}
    result = lookalike.spark.dedup(sail, frame=frame_of(sail, rows), **given, **MINHASH)
    check(result, lookalike.dedup(table_of(rows), **MINHASH))
    assert result.summary["found"]["largest_family"] >= 500


def test_pairs_are_those_of_one_machine(sail: Any, tmp_path: Path) -> None:
    rows = rows_of(7, 300)
    given: dict[str, Any] = {"order": "number", "work": tmp_path / "work", "partitions": 3, "batch_bytes": 5_000}
    found = lookalike.spark.pairs(sail, frame=frame_of(sail, rows), **given, **MINHASH)
    expected = lookalike.pairs(table_of(rows), **MINHASH).to_dicts()
    assert [row.asDict() for row in found.collect()] == sorted(expected, key=lambda row: (row["left_row"], row["right_row"]))
    assert expected


def test_no_rows_and_no_texts(sail: Any, tmp_path: Path) -> None:
    for name, rows in (("none", []), ("null", [{**row, "text": None} for row in rows_of(1, 5)])):
        frame = sail.createDataFrame([(row["number"], row["text"]) for row in rows], "number long, text string")
        result = lookalike.spark.dedup(sail, frame=frame, order="number", work=tmp_path / name, partitions=2)
        assert result.removed.count() == 0
        assert result.rows.count() == len(rows)
        assert result.summary["found"]["kept_count"] == 0


def test_the_kept_rows_are_selected_from_the_data(sail: Any, tmp_path: Path) -> None:
    rows = rows_of(7, 300)
    frame = frame_of(sail, rows)
    result = lookalike.spark.dedup(sail, frame=frame, order="number", work=tmp_path / "work", partitions=2, **MINHASH)
    kept = sorted(row["number"] for row in result.select(frame).collect())
    assert kept == lookalike.dedup(table_of(rows), **MINHASH).kept


def test_a_finished_step_is_not_computed_again(sail: Any, tmp_path: Path) -> None:
    rows = rows_of(7, 200)
    given: dict[str, Any] = {"order": "number", "work": tmp_path / "work", "partitions": 2, **MINHASH}
    first = lookalike.spark.dedup(sail, frame=frame_of(sail, rows), **given)
    removed = [row.asDict() for row in first.removed.collect()]
    with pytest.raises(lookalike.InputError, match="resume=True"):
        lookalike.spark.dedup(sail, frame=frame_of(sail, rows), **given)
    with pytest.raises(lookalike.LookalikeError, match="differs in options"):
        lookalike.spark.dedup(sail, frame=frame_of(sail, rows), resume=True, **{**given, "threshold": 0.9})
    again = lookalike.spark.dedup(sail, frame=frame_of(sail, rows), resume=True, **given)
    assert [row.asDict() for row in again.removed.collect()] == removed
    assert not again.summary["seconds"], "nothing was left to do"


def test_a_sketch_is_that_of_one_machine(sail: Any) -> None:
    rows = [row for row in rows_of(7, 50) if row["text"]]
    found = {row["number"]: row for row in lookalike.spark.sketch(frame_of(sail, rows), threshold=0.7).collect()}
    expected = lookalike.sketch(table_of(rows), threshold=0.7)
    for own, row in zip(expected.to_dicts(), rows, strict=True):
        other = found[row["number"]]
        assert [key % 2**64 for key in other["keys"] or []] == list(own["keys"] or [])
        assert list(other["sketch"] or b"") == list(own["sketch"] or [])
        assert other["feature_count"] == own["feature_count"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": None}, "order= is missing"),
        ({"order": "score"}, "must be unique"),
        ({"order": "nmber"}, "did you mean 'number'"),
        ({"treshold": 0.9}, "did you mean threshold="),
        ({"threshold": 2}, "threshold="),
        ({"method": "simhash"}, "not possible on Spark"),
        ({"against_index": "index"}, "pass the rows that it was made from as against="),
        ({"measure": "containment"}, "needs exact=True"),
        ({"key": "random"}, "not possible on Spark"),
        ({"ignore_boilerplate": True}, "not possible on Spark"),
        ({"keep": "max:none"}, "no row has a value in the column 'none'"),
        ({"only_against": True}, "needs against="),
        ({"family_bytes": 100, **MINHASH}, r"the largest family has \d+ documents with .* bytes, joined by \d+ buckets"),
    ],
)
def test_what_is_refused_is_named(sail: Any, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    given = {"order": "number", "work": tmp_path / "work", "partitions": 2, **options}
    with pytest.raises(lookalike.LookalikeError, match=message):
        lookalike.spark.dedup(sail, frame=frame_of(sail, rows_of(7, 100)), **given)
