"""Records, sets, fingerprints, and the saved index."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

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
        lookalike.link(frame, id="id").linked.to_polars().drop("cluster", "is_best"),
    ):
        linked = lookalike.link(data, id="id")
        assert linked.matches["left_id"] == by_files.matches["left_id"]
        assert linked.matches["probability"] == by_files.matches["probability"]
        assert linked.clusters["cluster"] == by_files.clusters["cluster"]
    assert linked.summary["matches"] == len(linked.matches) > 0
    assert isinstance(linked.matches["probability"][0], float)
    assert "data:image/svg+xml" in linked._repr_html_()
    with pytest.raises(lookalike.ColumnError, match="no column 'nobody'"):
        lookalike.link(frame, id="nobody")
    with pytest.raises(lookalike.OptionError, match="two tables"):
        lookalike.link(frame, one_to_one=True)


def test_the_weights_of_another_result_and_its_answer(tmp_path: Path) -> None:
    frame = as_text(CUSTOMERS)
    first = lookalike.link(frame, id="id")
    gold = tmp_path / "gold.csv"
    pc.write_csv(pa.table(first.clusters), gold)
    again = lookalike.link(frame, id="id", model=first, gold=gold)
    by_file = lookalike.link(frame, id="id", model=first.folder / "model.json")
    assert again.matches.to_dicts() == by_file.matches.to_dicts()
    assert json.loads((again.folder / "model.json").read_text())["model"]["learnt"] == "from-another"
    assert again.summary["gold"]["clusters"]["f1"] == 1.0
    for wrong, said in ((tmp_path / "none.json", "cannot use the model"), (gold, "cannot use the model")):
        with pytest.raises(lookalike.OptionError, match=said) as raised:
            lookalike.link(frame, id="id", model=wrong)
        assert (raised.value.option, raised.value.value) == ("model", str(wrong))
    with pytest.raises(lookalike.OptionError, match="the model does not fit"):
        lookalike.link(frame.drop_columns(["born"]), id="id", model=first)


def test_two_tables_are_linked_with_each_other() -> None:
    frame = as_text(CUSTOMERS)
    half = len(frame) // 2
    linked = lookalike.link(frame.slice(0, half), frame.slice(half), id="id")
    assert linked.summary["records"] == [half, len(frame) - half]


def test_sets_of_dicts_lists_and_tables() -> None:
    baskets = {"ann": ["milk", "bread"], "bob": ["milk", "bread", "tea"], "cleo": ["nails"]}
    expected = lookalike.sets(baskets, threshold=0.5).to_dicts()
    assert [(pair["left_id"], pair["right_id"], pair["shared"]) for pair in expected] == [("ann", "bob", 2)]
    assert lookalike.sets(list(baskets.values()), threshold=0.5)["right_id"] == ["1"]
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


def test_prints_of_a_frame_are_those_of_the_file() -> None:
    path = ROOT / "examples" / "prints.csv"
    expected = lookalike.prints(path).to_dicts()
    assert expected
    assert lookalike.prints(pc.read_csv(path)).to_dicts() == expected
    with pytest.raises(lookalike.ColumnError) as raised:
        lookalike.prints(pc.read_csv(path), x="horizontal")
    assert raised.value.column == "horizontal"


def test_an_index_is_added_to_searched_and_compared_with(texts: list[str], tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "index", threshold=0.7)
    frame = pa.table({"id": [f"n{row}" for row in range(len(texts))], "text": texts})
    added = index.add(frame, id="id")
    assert added["added"] == len(texts) == len(index)
    assert index.add(frame.slice(0, 5), id="id")["unchanged"] == 5
    row = next(row for row, text in enumerate(texts) if len(text) > 100)
    assert f"n{row}" in index.search(texts[row])["id"]
    assert f"n{row}" not in index.search(id=f"n{row}", limit=1000)["id"]
    many = index.search_many([texts[row], "nothing like it"], limit=1)
    assert many["query_row"] == [0]
    assert index.put("new", texts[row], unless_alike=True) == "alike"
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
    assert again.stat()["documents"] == len(texts)
    assert "0.7" in again.scheme
    # Nothing of what the index has is left; its scheme decides.
    decided = lookalike.dedup([texts[row], "wholly new words that nobody has written so far"], against=again)
    assert decided.kept == [1]
    assert decided.removed["kept_in"] == ["reference"]
    with pytest.raises(lookalike.OptionError, match="0.7"):
        again.search("a b c", threshold=0.2)
    with pytest.raises(lookalike.InputError, match="already has an index"):
        lookalike.Index.create(tmp_path / "index")
