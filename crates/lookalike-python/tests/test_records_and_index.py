"""Records, sets, fingerprints, and the saved index."""

from __future__ import annotations

import csv
import json
import pickle
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import lookalike
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from conftest import ROOT

CUSTOMERS = ROOT / "examples" / "customers.csv"


def as_text(path: Path) -> pa.Table:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def test_link_of_a_frame_is_that_of_the_file(command: Path, tmp_path: Path) -> None:
    subprocess.run([command, "link", CUSTOMERS, "--id", "id", "-o", tmp_path / "a", "-q"], check=True)
    by_files = lookalike.link_files(CUSTOMERS, tmp_path / "b", id="id")
    for name in ("matches.csv", "clusters.csv", "linked.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    frame = as_text(CUSTOMERS)
    for data in (
        frame,
        frame.to_pandas(),
        lookalike.link(frame, id="id").linked.to_polars().drop("cluster", "best"),
    ):
        linked = lookalike.link(data, id="id")
        assert linked.matches["left_id"] == by_files.matches["left_id"]
        assert linked.matches["probability"] == by_files.matches["probability"]
        assert linked.clusters["cluster"] == by_files.clusters["cluster"]
    assert linked.summary["match_count"] == len(linked.matches) > 0
    assert isinstance(linked.matches["probability"][0], float)
    assert "<svg" in linked._repr_html_()
    with pytest.raises(lookalike.ColumnError, match="no column 'nobody'"):
        lookalike.link(frame, id="nobody")
    with pytest.raises(lookalike.OptionError, match="two tables"):
        lookalike.link(frame, one_to_one=True)


def test_tables_of_files_are_those_of_the_frame(tmp_path: Path) -> None:
    files = lookalike.link_files(CUSTOMERS, tmp_path / "files", report=tmp_path / "page.html")
    linked = lookalike.link(as_text(CUSTOMERS), report=tmp_path / "other.html")
    for name in ("matches", "clusters", "linked"):
        assert getattr(files, name).to_arrow() == getattr(linked, name).to_arrow(), name
    assert files.clusters["id"][0] == 0 and files.folder == tmp_path / "files"
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>") and (tmp_path / "other.html").exists()
    # The result is in memory, whatever becomes of the folder.
    (tmp_path / "files" / "matches.csv").unlink()
    assert pickle.loads(pickle.dumps(files)).matches.to_dicts() == linked.matches.to_dicts()
    with pytest.raises(lookalike.InputError, match="page.html"):
        lookalike.link(as_text(CUSTOMERS), report=tmp_path / "page.html")
    lookalike.link(as_text(CUSTOMERS), report=tmp_path / "page.html", force=True)


def test_two_records_are_explained(command: Path, tmp_path: Path) -> None:
    frame = as_text(CUSTOMERS)
    by_id, by_row = lookalike.link(frame, id="id"), lookalike.link(frame)
    files = lookalike.link_files(CUSTOMERS, tmp_path / "files", id="id")
    best = by_id.matches[0]
    explained = by_id.explain(best["left_id"], best["right_id"])
    assert explained["match"] is True and explained["compared"] == "yes"
    assert round(explained["probability"], 6) == round(best["probability"], 6) >= explained["threshold"]
    assert {"left", "right", "level", "bits"} <= explained["fields"][0].keys()
    assert len(set(explained["clusters"])) == 1
    assert files.explain(best["left_id"], best["right_id"])["probability"] == pytest.approx(explained["probability"])
    assert pickle.loads(pickle.dumps(files)).explain(best["left_id"], best["right_id"])["match"] is True
    rows = by_row.matches[0]
    assert by_row.explain(rows["left_id"], rows["right_id"])["match"] is True
    with pytest.raises(lookalike.LookalikeError, match="no record"):
        by_id.explain("nobody", best["right_id"])
    with pytest.raises(lookalike.OptionError, match="left= must be a whole number"):
        by_row.explain("1", 2)
    with pytest.raises(lookalike.LookalikeError, match="was pickled"):
        pickle.loads(pickle.dumps(by_id)).explain("1", "2")


def test_the_weights_of_another_result_and_its_answer(tmp_path: Path) -> None:
    frame = as_text(CUSTOMERS)
    first = lookalike.link(frame, id="id")
    labels = tmp_path / "labels.csv"
    pc.write_csv(pa.table(first.clusters), labels)
    again = lookalike.link(frame, id="id", model=first, labels=labels)
    files = lookalike.link_files(CUSTOMERS, tmp_path / "files", id="id")
    assert files.model == first.model
    by_file = lookalike.link(frame, id="id", model=tmp_path / "files" / "model.json")
    assert again.matches.to_dicts() == by_file.matches.to_dicts()
    assert again.model["model"]["learned"] == "from-another"
    assert again.summary["labels"]["clusters"]["f1"] == 1.0
    for wrong, said in ((tmp_path / "none.json", "cannot use the model"), (labels, "cannot use the model")):
        with pytest.raises(lookalike.OptionError, match=said) as raised:
            lookalike.link(frame, id="id", model=wrong)
        assert (raised.value.option, raised.value.value) == ("model", str(wrong))
    with pytest.raises(lookalike.OptionError, match="the model does not fit"):
        lookalike.link(frame.drop_columns(["born"]), id="id", model=first)


def test_two_tables_are_linked_with_each_other() -> None:
    frame = as_text(CUSTOMERS)
    half = len(frame) // 2
    linked = lookalike.link(frame.slice(0, half), frame.slice(half), id="id")
    assert linked.summary["record_counts"] == [half, len(frame) - half]


def test_sets_of_dicts_lists_and_tables() -> None:
    baskets = {"ann": ["milk", "bread"], "bob": ["milk", "bread", "tea"], "cleo": ["nails"]}
    expected = lookalike.sets(baskets, threshold=0.5).to_dicts()
    assert [(pair["left_id"], pair["right_id"], pair["shared_count"]) for pair in expected] == [("ann", "bob", 2)]
    assert lookalike.sets(list(baskets.values()), threshold=0.5)["right_id"] == [1]
    lists = pa.table({"set": list(baskets), "items": list(baskets.values())})
    assert lookalike.sets(lists, set="set", column="items", threshold=0.5).to_dicts() == expected
    long = pa.table(
        {
            "who": [name for name in baskets for _ in baskets[name]],
            "what": [item for items in baskets.values() for item in items],
        }
    )
    assert lookalike.sets(long, set="who", element="what", threshold=0.5).to_dicts() == expected
    assert lookalike.sets(baskets, top=1)["left_id"] == ["ann", "bob"]
    assert lookalike.sets(baskets, against={"dan": ["nails"]}, threshold=0.9)["right_id"] == ["dan"]
    with pytest.raises(lookalike.OptionError, match="threshold= or top="):
        lookalike.sets(baskets)


def lines_of(command: Path, *words: str | Path) -> list[dict[str, Any]]:
    """The rows that the command writes."""
    done = subprocess.run([command, *words, "-q"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_sets_of_files_are_those_of_the_command(command: Path, tmp_path: Path) -> None:
    queries = ROOT / "examples" / "sets" / "queries.txt"
    found = lookalike.sets(queries, named=True, threshold=0.5)
    assert found.to_dicts() == lines_of(command, "sets", queries, "--named", "--threshold", "0.5") != []
    (tmp_path / "bars.txt").write_text("a|b c|d\nb c|d|a\ne\n")
    assert lookalike.sets(str(tmp_path / "bars.txt"), delimiter="|", threshold=0.9)["shared_count"] == [3]
    cells = {"set": ["x", "y"], "items": ["a|b c", "b c|a"]}
    assert lookalike.sets(cells, set="set", column="items", delimiter="|", threshold=0.9)["shared_count"] == [2]
    lists = pa.table({"set": ["x", "y"], "items": [["a", "b c"], ["b c", "a"]]})
    assert lookalike.sets(lists, set="set", column="items", delimiter="|", threshold=0.9)["shared_count"] == [2]
    with pytest.raises(lookalike.OptionError, match="delimiter= separates elements in texts"):
        lookalike.sets(lists, against=cells, set="set", column="items", delimiter="|", threshold=0.9)
    (tmp_path / "cells.csv").write_text("set,elements\nx,a b\n")
    both = lookalike.sets({7: ["a", "b"]}, against=tmp_path / "cells.csv", threshold=0.9)
    assert both.schema["left_id"] == "int64" and both.to_dicts()[0]["right_id"] == "x"
    with pytest.raises(lookalike.OptionError, match="named= cannot be combined with set="):
        lookalike.sets({"a": ["b"]}, named=True, threshold=0.5)


def test_prints_that_are_aligned_are_found_by_a_grid(command: Path) -> None:
    path = ROOT / "examples" / "prints.csv"
    expected = lines_of(command, "prints", path, "--grid", "40", "--margin", "8", "--buckets", "4096")
    assert lookalike.prints(path, grid=40, margin=8, buckets=4096).to_dicts() == expected != []
    numbered = {name: column for name, column in as_text(path).to_pydict().items()}
    known = {name: at for at, name in enumerate(dict.fromkeys(numbered["print"]))}
    found = lookalike.prints({**numbered, "print": [known[name] for name in numbered["print"]]})
    assert found.schema["left_id"] == found.schema["right_id"] == "int64"


def test_prints_of_a_frame_are_those_of_the_file() -> None:
    path = ROOT / "examples" / "prints.csv"
    expected = lookalike.prints(path).to_dicts()
    assert expected
    assert lookalike.prints(pc.read_csv(path)).to_dicts() == expected
    with pytest.raises(lookalike.ColumnError) as raised:
        lookalike.prints(pc.read_csv(path), x="horizontal")
    assert raised.value.column == "horizontal"


def test_rows_are_typed_and_need_no_temporary_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    frame = as_text(CUSTOMERS)
    linked = lookalike.link(frame, id="id")
    rows = linked.linked.to_arrow()
    assert rows.select(frame.column_names).to_pydict() == frame.to_pydict()
    assert [str(kind) for kind in rows.schema.types[:2]] == ["uint64", "bool"]
    assert len(linked.clusters) == len(frame)
    # A result without rows has the columns and types of one with rows.
    none = lookalike.link(frame, id="id", threshold=0.9999999999999999).matches.to_arrow()
    assert len(none) == 0 < len(linked.matches)
    assert none.schema == linked.matches.to_arrow().schema
    baskets = {"ann": ["milk", "bread"], "bob": ["milk", "bread", "tea"], "empty": []}
    pairs = lookalike.sets(baskets, threshold=0.5)
    assert pairs.to_dicts() == [{"left_id": "ann", "right_id": "bob", "similarity": 2 / 3, "shared_count": 2}]
    assert lookalike.sets(baskets, threshold=0.9).to_arrow().schema == pairs.to_arrow().schema
    prints = pc.read_csv(ROOT / "examples" / "prints.csv")
    queries = pc.read_csv(ROOT / "examples" / "queries.csv")
    best = lookalike.prints(queries, against=prints, top=1)
    assert best.columns == ["left_id", "right_id", "similarity", "paired_count", "rank"]
    assert best.to_dicts() == lookalike.prints(ROOT / "examples" / "queries.csv", against=prints, top=1).to_dicts()


def test_every_type_of_column_is_a_text() -> None:
    data = pa.table(
        {
            "set": pa.array(["a", "b", "c"]),
            "tags": pa.array([["x y", None, "z"], ["x y", "z"], None]),
            "price": pa.array([1.5, float("nan"), None]),
            "more": pa.array([{"age": 7}, None, {"age": None}], pa.struct([("age", pa.int32())])),
        }
    )
    pairs = lookalike.sets(data, set="set", column="tags", threshold=0.9)
    assert pairs.to_dicts() == [{"left_id": "a", "right_id": "b", "similarity": 1.0, "shared_count": 2}]
    linked = lookalike.link(pa.concat_tables([data] * 4)).linked.to_dicts()
    assert [linked[0][name] for name in ("tags", "price", "more.age")] == ['["x y",null,"z"]', "1.5", "7"]
    assert [linked[1][name] for name in ("price", "more.age")] == ["", ""]
    with pytest.raises(lookalike.ColumnError, match="a table with columns"):
        lookalike.link(pa.array(["a"]))


def test_an_index_is_added_to_searched_and_compared_with(texts: list[str], tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "index", threshold=0.7)
    frame = pa.table({"id": [f"n{row}" for row in range(len(texts))], "text": texts})
    added = index.add(frame, id="id")
    assert added["added_count"] == len(texts) == len(index)
    assert index.add(frame.slice(0, 5), id="id")["unchanged_count"] == 5
    row = next(row for row, text in enumerate(texts) if len(text) > 100)
    assert f"n{row}" in index.search(texts[row])["id"]
    assert f"n{row}" not in index.search(like=f"n{row}", top=1000)["id"]
    everything = index.search(texts[row], top=1000)
    assert set(everything["match_count"]) == {len(everything)}
    assert index.search(texts[row], top=1)["match_count"].to_list() == [len(everything)]
    copies = everything["exact_copy"].to_list()
    assert copies == sorted(copies, reverse=True)
    many = index.search_many([texts[row], "nothing like it"], top=1)
    assert many["query_row"] == [0]
    assert index.put("new", texts[row], unless_duplicate=True) == "duplicate"
    assert index.put("other", "something else altogether, said in nine or ten words", {"by": "me"}) == "added"
    assert index.document("other") == {
        "id": "other",
        "text": "something else altogether, said in nine or ten words",
        "fields": {"by": "me"},
    }
    assert index.document("nobody") is None
    assert index.delete(["other", "nobody"]) == 1
    index.compact(purge=True)
    again = lookalike.Index.open(index.path)
    assert len(again) == len(texts)
    assert again.stat()["document_count"] == len(texts)
    assert "0.7" in again.scheme
    # Nothing of what the index has is left; its scheme decides.
    decided = lookalike.dedup([texts[row], "wholly new words that nobody has written so far"], against=again)
    assert decided.kept == [1]
    assert decided.removed["kept_in"] == ["reference"]
    with pytest.raises(lookalike.OptionError, match="0.7"):
        again.search("a b c", threshold=0.2)
    with pytest.raises(lookalike.InputError, match="already has an index"):
        lookalike.Index.create(tmp_path / "index")
