"""``dedup`` decides what the command decides on the same rows, however the rows arrive."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lookalike
import pyarrow as pa
import pytest
from conftest import same, texts_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ByCommand = Callable[..., tuple[list[dict[str, Any]], dict[str, Any]]]

CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"threshold": 0.5, "shingle": "word:3"}, ["--threshold", "0.5", "--shingle", "word:3"]),
    ({"keep": "first"}, ["--keep", "first"]),
    ({"keep": "last", "group": "components"}, ["--keep", "last", "--group", "components"]),
    ({"keep": "max:score"}, ["--keep", "max:score"]),
    ({"keep": "min:date"}, ["--keep", "min:date"]),
    ({"exact": True, "threshold": 0.6}, ["--exact", "--threshold", "0.6"]),
    ({"measure": "containment"}, ["--measure", "containment"]),
    ({"method": "simhash", "bits": 4}, ["--method", "simhash", "--bits", "4"]),
    ({"method": "supershingle"}, ["--method", "supershingle"]),
    ({"method": "copies"}, ["--method", "copies"]),
    ({"shingle": "char:5", "fold": ["accents", "digits"]}, ["--shingle", "char:5", "--fold", "accents,digits"]),
    ({"bands": 25, "rows": 4, "sketch": "classic"}, ["--bands", "25", "--rows", "4", "--sketch", "classic"]),
    ({"recall": 0.999}, ["--recall", "0.999"]),
]


def rows_of(texts: list[str]) -> list[dict[str, Any]]:
    draw = random.Random(1)
    rows: list[dict[str, Any]] = []
    for at, text in enumerate(texts):
        score = draw.choice([None, 1, 2, -3, 1700000000000000001 + at % 2])
        rows.append({"id": f"n{at}", "text": text, "score": score, "date": f"2026-0{at % 9 + 1}-01", "host": f"h{at % 3}"})
    return rows


@pytest.mark.parametrize(("arguments", "flags"), CASES, ids=[str(flags) for _, flags in CASES])
def test_every_parameter_decides_as_the_flag_does(
    texts: list[str], by_command: ByCommand, arguments: dict[str, Any], flags: list[str]
) -> None:
    rows = rows_of(texts)
    removed, summary = by_command(rows, *flags)
    assert removed, "a test that removes nothing shows nothing"
    frame = pa.table({"text": texts, "date": [row["date"] for row in rows]})
    # Whole numbers that are one as floating-point numbers are told apart.
    frame = frame.append_column("score", pa.array([row["score"] for row in rows], pa.int64()))
    result = lookalike.dedup(frame, **arguments)
    same(result, removed)
    assert result.summary["found"] == summary["found"]
    assert len(result.kept) == summary["found"]["kept_count"]


def test_pages_in_a_column_are_compared_by_their_text(texts: list[str], by_command: ByCommand) -> None:
    pages = [f"<script>{at}</script><nav>Home</nav><article><p>{text}</p></article>" for at, text in enumerate(texts)]
    rows = [{"html": page, "id": at} for at, page in enumerate(pages)]
    for extract in ("text", "article"):
        removed, _ = by_command(rows, "--html-field", "html", "--extract", extract)
        assert removed
        for data in (pa.table({"html": pages}), pa.table({"html": pages}).to_reader(), {"html": pages}, pages):
            result = lookalike.dedup(data, html_field="html", extract=extract)
            same(result, removed)
        assert "comparison" not in result.explain(result.removed_rows[0]), "the markup is not what was compared"
    found = lookalike.pairs(pages, html_field="html")
    assert lookalike.resolve(found, rows=len(pages)).kept == lookalike.dedup(pages, html_field="html").kept
    words = lookalike.sketch(["<p>a b", "a <b>b</b>"], html_field="html")["text_hash"]
    assert words[0] == words[1]
    assert lookalike.tune(pages, html_field="html").sample["document_count"] > 0
    assert lookalike.evaluate(pages, html_field="html", methods="minhash").methods[0]["found_count"] > 0


def test_ids_sources_and_references_are_those_of_the_command(texts: list[str], by_command: ByCommand, tmp_path: Path) -> None:
    rows = rows_of(texts)
    reference = texts_of(7, 60)[::3]
    (tmp_path / "reference.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in reference))
    for only in (False, True):
        flags = ["--id", "id", "--source", "field:host", "--against", str(tmp_path / "reference.jsonl")]
        removed, summary = by_command(rows, *flags, *(["--only-against"] if only else []))
        frame = pa.table({name: [row[name] for row in rows] for name in ("id", "text", "host")})
        result = lookalike.dedup(frame, id="id", source="host", against=reference, only_against=only)
        same(result, removed)
        for own, other in zip(result.removed, removed, strict=True):
            assert own["removed_id"] == other["removed_id"]
            assert own["kept_in"] == other.get("kept_in")
            assert own["removed_source"] == other["removed_source"]
        assert summary["found"]["removed_by_reference_count"] == result.summary["found"]["removed_by_reference_count"] > 0


def test_null_texts_are_kept_and_counted(by_command: ByCommand) -> None:
    texts = ["a b c d e f", None, "A b c d e f!", None, "", ""]
    removed, summary = by_command([{"text": text} for text in texts])
    result = lookalike.dedup(pa.table({"text": texts}))
    same(result, removed)
    assert result.kept == [0, 1, 3, 4, 5]
    assert result.summary["input"]["carried"] == summary["input"]["carried"] == {"null text": 2}
    assert result.rows.to_dicts()[1]["cluster"] is None


def array_of(texts: list[str | None], kind: str) -> pa.Array:
    types: dict[str, Any] = {
        "string": pa.string(),
        "large": pa.large_string(),
        "view": pa.string_view(),
        "binary": pa.binary(),
        "large_binary": pa.large_binary(),
    }
    if kind == "dictionary":
        return pa.array(texts, pa.string()).dictionary_encode()
    if "binary" in kind:
        return pa.array([None if text is None else text.encode() for text in texts], types[kind])
    return pa.array(texts, types[kind])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_batches_slices_types_threads_and_nulls_change_nothing(data: st.DataObject) -> None:
    texts: list[str | None] = list(texts_of(data.draw(st.integers(0, 3)), data.draw(st.sampled_from([0, 1, 5, 80]))))
    for row in data.draw(st.lists(st.integers(0, max(len(texts) - 1, 0)), max_size=5)):
        if texts:
            texts[row] = None
    expected = lookalike.dedup(texts, threshold=0.6)
    kind = data.draw(st.sampled_from(["string", "large", "view", "binary", "large_binary", "dictionary"]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(texts)), max_size=6)))
    chunks = []
    for start, end in zip([0, *cuts], [*cuts, len(texts)], strict=True):
        # A slice with an offset: what lies before it is no part of the column.
        before = ["before", None]
        chunks.append(array_of(before + texts[start:end], kind).slice(len(before)))
    table = pa.table({"text": pa.chunked_array(chunks, type=chunks[0].type)})
    for arrived in (table, table.to_batches(), iter(table.to_batches()), table.to_reader()):
        if not texts and not hasattr(arrived, "schema"):
            continue
        result = lookalike.dedup(arrived, threshold=0.6, threads=data.draw(st.integers(1, 3)))
        assert result.removed.to_dicts() == expected.removed.to_dicts()
        assert result.rows.to_dicts() == expected.rows.to_dicts()


def test_files_are_written_byte_for_byte(texts: list[str], command: Path, tmp_path: Path) -> None:
    rows = rows_of(texts)
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    subprocess.run([command, "dedup", data, "-o", tmp_path / "a", "-q", "--id", "id", "--keep", "first"], check=True)
    summary = lookalike.dedup_files(data, tmp_path / "b", id="id", keep="first")
    assert summary["found"]["removed_count"] > 0
    for name in ("kept/data.jsonl", "removed.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert (tmp_path / "b" / "report.html").exists()
    for layout in ("jsonl", "tsv", "csv"):
        own, other = tmp_path / f"own.{layout}", tmp_path / f"other.{layout}"
        subprocess.run([command, "pairs", data, "-o", other, "-q", "--format", layout, "--threshold", "0.7"], check=True)
        lookalike.pairs_files(data, own, format=layout, threshold=0.7)
        assert own.read_bytes() == other.read_bytes()
        assert own.stat().st_size > 0


def test_pairs_are_those_of_the_command(texts: list[str], command: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    for flags, arguments in (([], {}), (["--copies", "star"], {"copies": "star"}), (["--sample", "5"], {"sample": 5})):
        subprocess.run([command, "pairs", data, "-o", tmp_path / "p", "--force", "-q", *flags], check=True)
        lines = [json.loads(line) for line in (tmp_path / "p").read_text().splitlines()]
        mine = lookalike.pairs(texts, **arguments).to_dicts()
        assert [(pair["left_row"] + 1, pair["right_row"] + 1) for pair in mine] == [
            (line["left_position"], line["right_position"]) for line in lines
        ]
        assert [pair["jaccard"] for pair in mine] == [line["jaccard"] for line in lines]
        assert mine


def test_files_are_excluded_and_pages_in_a_field_are_compared_by_their_text(tmp_path: Path) -> None:
    words = " ".join(f"w{at}" for at in range(60))
    pages = [f"<p class='one'>{words}</p>", f"<div><b>{words}</b></div>", "<p>another page altogether</p>"]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text("".join(json.dumps({"html": page}) + "\n" for page in pages))
    (tmp_path / "in" / "b.txt").write_text("a text")
    (tmp_path / "in" / "c.md").write_text("a text")
    for number, exclude in enumerate([["*.txt", "*.md"], "[bc].*"]):
        output = tmp_path / f"out{number}"
        summary = lookalike.dedup_files(tmp_path / "in", output, html_field="html", exclude=exclude)
        assert summary["input"]["document_count"] == 3
        assert summary["found"]["removed_count"] == 1
    report = lookalike.pairs_files(tmp_path / "in", tmp_path / "pairs.jsonl", html_field="html", exclude="[bc].*")
    assert report["pair_count"] == 1
