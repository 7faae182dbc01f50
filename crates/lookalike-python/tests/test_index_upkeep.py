"""A saved index over its life: checked, copied, merged, exported, compacted, and fed by one delivery after another."""

from __future__ import annotations

import json
from pathlib import Path

import lookalike
import polars as pl
import pyarrow as pa
import pytest

STORM = "the storm hit the coast on Monday night and left a trail of damage"
HARBOR = "the harbor was closed for two days while divers searched the pier"
QUIET = "a quiet week for fishermen, who stayed at home and mended their nets"


def filled(path: Path, **documents: str) -> lookalike.Index:
    index = lookalike.Index.create(path)
    index.add(pa.table({"id": list(documents), "text": list(documents.values())}), id="id")
    return index


def test_verify_finds_a_changed_byte_and_repairs_it(tmp_path: Path) -> None:
    index = filled(tmp_path / "index", storm=STORM, harbor=HARBOR)
    index.compact()
    found = index.verify()
    assert (found["document_count"], found["problems"], found["repaired"]) == (2, [], False)
    assert found["checked_bytes"] > 0
    # The largest file of keys or sketches: what is made from texts is made again.
    problems = 0
    for path in sorted(path for path in (tmp_path / "index").rglob("*") if path.is_file()):
        whole = path.read_bytes()
        if len(whole) < 16:
            continue
        path.write_bytes(whole[:-9] + bytes([whole[-9] ^ 0xFF]) + whole[-8:])
        try:
            problems += len(index.verify()["problems"])
        except lookalike.LookalikeError:
            problems += 1
        path.write_bytes(whole)
    assert problems > 0
    assert index.verify(repair=True)["problems"] == []


def test_a_snapshot_does_not_change_with_its_index(tmp_path: Path) -> None:
    index = filled(tmp_path / "index", storm=STORM)
    copy = index.snapshot(tmp_path / "copy")
    index.put("harbor", HARBOR)
    assert (len(index), len(copy)) == (2, 1)
    assert copy.path == tmp_path / "copy"
    assert copy.search(STORM)["id"] == ["storm"]
    assert copy.put("quiet", QUIET) == "added"
    assert index.document("quiet") is None
    with pytest.raises(lookalike.InputError):
        index.snapshot(tmp_path / "copy")


def test_merge_adds_replaces_and_leaves_what_is_the_same(tmp_path: Path) -> None:
    index = filled(tmp_path / "index", storm=STORM, harbor=HARBOR)
    other = filled(tmp_path / "other", storm=STORM, harbor=HARBOR + " again", quiet=QUIET)
    assert index.merge(other) == {"added_count": 1, "replaced_count": 1, "unchanged_count": 1}
    assert index.merge(tmp_path / "other") == {"added_count": 0, "replaced_count": 0, "unchanged_count": 3}
    document = index.document("harbor")
    assert len(index) == 3 and document is not None and document["text"].endswith("again")
    different = lookalike.Index.create(tmp_path / "different", threshold=0.5)
    with pytest.raises(lookalike.LookalikeError):
        index.merge(different)
    with pytest.raises(lookalike.InputError, match="not an index"):
        index.merge(tmp_path)
    # A merge that fails leaves the index free for the next one.
    assert index.put("storm", STORM) == "unchanged"


def test_export_has_all_documents_in_order(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "index")
    index.put("storm", STORM, {"day": "Monday"})
    index.put("harbor", HARBOR)
    index.put("quiet", QUIET)
    index.delete("harbor")
    exported = index.export()
    assert exported.columns == ["id", "text", "fields"]
    assert exported["id"] == ["storm", "quiet"]
    assert exported["text"] == [STORM, QUIET]
    assert json.loads(exported["fields"][0]) == {"day": "Monday"}
    again = lookalike.Index.create(tmp_path / "again")
    assert again.add(exported, id="id")["added_count"] == 2
    hashes = lookalike.Index.create(tmp_path / "hashes", store="features")
    hashes.put("storm", STORM)
    assert hashes.export()["text"] == [None]


def test_compact_with_purge_removes_the_bytes_of_deleted_documents(tmp_path: Path) -> None:
    index = filled(tmp_path / "index", storm=STORM, harbor=HARBOR)
    index.delete("harbor")

    def has(secret: str) -> bool:
        return any(secret.encode() in path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file())

    index.compact(purge=True)
    assert not has("harbor")
    assert index.search(STORM)["id"] == ["storm"]
    assert index.verify()["problems"] == []


def write(path: Path, **documents: str) -> Path:
    path.write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in documents.items()))
    return path


def test_a_second_delivery_is_compared_with_the_first(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "seen")
    january = write(tmp_path / "january.jsonl", storm=STORM, harbor=HARBOR)
    february = write(tmp_path / "february.jsonl", copy=STORM + "!", quiet=QUIET)
    first = lookalike.dedup_files(january, tmp_path / "one", id="id", against_index=index.path, add_kept=True)
    assert (first["found"]["kept_count"], first["found"]["removed_count"], len(index)) == (2, 0, 2)
    second = lookalike.dedup_files(february, tmp_path / "two", id="id", against_index=index.path, add_kept=True)
    assert (second["found"]["kept_count"], second["found"]["removed_count"]) == (1, 1)
    removal = json.loads((tmp_path / "two" / "removed.jsonl").read_text())
    assert (removal["removed_id"], removal["kept_id"], removal["kept_in"]) == ("copy", "storm", "reference")
    assert sorted(index.export()["id"]) == ["harbor", "quiet", "storm"]
    # Without add_kept, the index stays as it is.
    new = write(tmp_path / "march.jsonl", new="a new text of which nothing has been seen so far")
    lookalike.dedup_files(new, tmp_path / "three", id="id", against_index=index.path)
    assert len(index) == 3
    with pytest.raises(lookalike.OptionError) as raised:
        lookalike.dedup_files(new, tmp_path / "four", id="id", add_kept=True)
    assert raised.value.option == "add_kept"


def test_an_index_of_this_version_is_opened_by_an_upgrade(tmp_path: Path) -> None:
    filled(tmp_path / "index", storm=STORM)
    assert list(lookalike.Index.upgrade(tmp_path / "index")) == ["storm"]
    with pytest.raises(lookalike.InputError):
        lookalike.Index.upgrade(tmp_path / "nothing")


FIELDS = {"id": [1, 2], "text": ["a storm", "a calm"], "lang": ["en", None], "size": [3, 4], "tags": [["x"], []]}


def test_columns_are_stored_with_the_documents(tmp_path: Path) -> None:
    table = pa.table(FIELDS)
    for at, data in enumerate(
        (FIELDS, table.to_pylist(), table, table.to_batches(), table.to_reader(), table.to_pandas(), pl.from_arrow(table))
    ):
        index = lookalike.Index.create(tmp_path / str(at))
        assert index.add(data, id="id", fields=["lang", "size", "tags"])["added_count"] == 2
        assert index[1]["fields"] == {"lang": "en", "size": 3, "tags": ["x"]}
        assert index[2]["fields"] == {"lang": None, "size": 4, "tags": []}
        assert json.loads(index.search("a storm", top=1)["fields"][0])["size"] == 3
    assert index.add(table, id="id", fields="lang")["replaced_count"] == 2
    assert index[1]["fields"] == {"lang": "en"}
    with pytest.raises(lookalike.ColumnError, match="no column 'sise' for fields=: did you mean 'size'"):
        index.add(table, id="id", fields=["sise"])
    with pytest.raises(lookalike.OptionError, match="fields= must be a field other than that of the text"):
        index.add(table, id="id", fields=["text"])
    with pytest.raises(lookalike.OptionError, match="fields= must be names of columns"):
        index.add(table, id="id", fields=5)  # type: ignore[arg-type]


def test_fields_may_have_any_name(tmp_path: Path) -> None:
    table = pa.table({"key": ["a"], "body": ["a storm"], "id": [7], "text": ["other"], "fields": [True]})
    for at, data in enumerate((table, table.to_reader(), table.to_pydict())):
        index = lookalike.Index.create(tmp_path / str(at))
        index.add(data, id="key", text="body", fields=["id", "text", "fields"])
        assert index["a"] == {"id": "a", "text": "a storm", "fields": {"id": 7, "text": "other", "fields": True}}


def test_pages_in_a_column_are_added_and_searched_by_their_text(tmp_path: Path) -> None:
    pages = pa.table({"id": ["a"], "html": ["<script>var x</script><p>the storm hit the coast on Monday night</p>"]})
    index = lookalike.Index.create(tmp_path / "pages")
    index.add(pages, id="id", html_field="html")
    assert index["a"]["text"].strip() == "the storm hit the coast on Monday night"
    assert index.search_many(pages, html_field="html", memory="1G", max_record="1M")["similarity"] == [1.0]
    pictured = pa.table({"html": ['<p>the storm hit the coast</p><img alt="on Monday night">']})
    assert len(index.search_many(pictured, html_field="html")) == 0
    assert index.search_many(pictured, html_field="html", alt=True, links=False)["id"] == ["a"]
    with pytest.raises(lookalike.LookalikeError, match="longer than 10 bytes.*raise max_record="):
        index.search_many(pages, html_field="html", max_record=10)
