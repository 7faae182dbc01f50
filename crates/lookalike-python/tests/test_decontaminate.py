"""Test items in data of Python: the same as by the command, for every kind of data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lookalike
import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text().splitlines()]


CRAWL, QUIZ = rows("crawl.jsonl"), rows("quiz.jsonl")


def test_hits_have_rows_ids_and_places() -> None:
    found = lookalike.decontaminate(CRAWL, QUIZ, id="id")
    hits = found.hits.to_dicts()
    assert [(hit["item_id"], hit["document_id"], hit["common"]) for hit in hits] == [
        ("quiz-1", "page-1", False),
        ("quiz-2", "page-2", False),
        ("quiz-5", "page-4", True),
        ("quiz-4", "page-5", False),
    ]
    for hit in hits:
        text = CRAWL[hit["document_row"]]["text"].encode()
        assert text[hit["start"] : hit["end"]].decode() == hit["quote"]
    assert found.kept.to_list() == [2, 3, 5, 6]
    assert found.select(CRAWL) == [CRAWL[row] for row in (2, 3, 5, 6)]
    assert [item["contaminated"] for item in found.items.to_dicts()] == [True, True, False, True, False, False]
    assert repr(found) == "<lookalike.Decontaminated: 3 of 6 items in 3 of 7 rows>"


def test_files_are_written_as_by_the_command_and_agree_with_data_in_memory(tmp_path: Path) -> None:
    summary = lookalike.decontaminate_files(
        EXAMPLES / "crawl.jsonl", tmp_path / "out", against=EXAMPLES / "quiz.jsonl", id="id", action="remove"
    )
    assert summary["removed_document_count"] == 3
    hits = [json.loads(line) for line in (tmp_path / "out" / "hits.jsonl").read_text().splitlines()]
    in_memory = lookalike.decontaminate(CRAWL, QUIZ, id="id").hits.to_dicts()
    for name in ("item_id", "document_id", "start", "end", "coverage", "common", "answer_near"):
        assert [hit[name] for hit in hits] == [hit[name] for hit in in_memory]
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize("kind", ["dict", "texts", "iterator", "polars", "pandas", "pyarrow"])
def test_every_kind_of_data_has_the_same_hits(kind: str) -> None:
    expected = [hit["start"] for hit in lookalike.decontaminate(CRAWL, QUIZ).hits.to_dicts()]
    texts, questions = [row["text"] for row in CRAWL], [row["question"] for row in QUIZ]
    data: Any
    items: Any
    if kind == "dict":
        data, items = {"text": texts}, {name: [row[name] for row in QUIZ] for name in QUIZ[0]}
    elif kind == "texts":
        data, items = texts, questions
    elif kind == "iterator":
        pyarrow = pytest.importorskip("pyarrow")
        data, items = iter(pyarrow.Table.from_pylist(CRAWL).to_batches()), iter(pyarrow.Table.from_pylist(QUIZ).to_batches())
    elif kind == "polars":
        polars = pytest.importorskip("polars")
        data, items = polars.DataFrame(CRAWL), polars.DataFrame(QUIZ)
    elif kind == "pandas":
        pandas = pytest.importorskip("pandas")
        data, items = pandas.DataFrame(CRAWL), pandas.DataFrame(QUIZ)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        data, items = pyarrow.Table.from_pylist(CRAWL), pyarrow.Table.from_pylist(QUIZ)
    found = lookalike.decontaminate(data, items)
    assert [hit["start"] for hit in found.hits.to_dicts()] == expected


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(lookalike.ColumnError):
        lookalike.decontaminate(CRAWL, QUIZ, fields=["prompt"])
