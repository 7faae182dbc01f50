"""Content, display and export of results; and decisions on known pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lookalike
import polars
import pytest
from conftest import ROOT, texts_of


def test_every_number_of_a_result_agrees_with_the_others(texts: list[str]) -> None:
    result = lookalike.dedup(texts)
    assert sorted([*result.kept, *result.removed_rows]) == list(range(len(texts)))
    assert [row for row, kept in enumerate(result.mask) if kept] == result.kept
    rows = result.rows.to_dicts()
    assert [row["kept"] for row in rows] == result.mask
    for removal in result.removed:
        row = rows[removal["removed_row"]]
        assert row["kept_row"] == removal["kept_row"]
        assert result.mask[removal["kept_row"]]
        assert row["cluster"] == rows[removal["kept_row"]]["cluster"] == removal["cluster"]
        compared = lookalike.compare(texts[removal["removed_row"]], texts[removal["kept_row"]])
        assert compared.jaccard == removal["jaccard"] >= 0.8
    least = result.least_similar(3)["similarity"]
    near = [removal["similarity"] for removal in result.removed if not removal["exact_copy"]]
    assert least == sorted(near)[:3]
    assert result.summary["found"]["removed_count"] == len(result.removed)


def test_an_explanation_has_the_evidence_and_both_texts(texts: list[str]) -> None:
    result = lookalike.dedup(texts)
    row = result.removed_rows[0]
    why = result.explain(row)
    assert why["kept"] is False and why["similarity"] >= 0.8
    assert why["comparison"].verdict in ("near_duplicates", "same_words", "exact_copies")
    assert result.explain(result.kept[0])["kept"] is True


def test_an_explanation_compares_as_the_index_does(tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "index", threshold=0.3, shingle="char:4")
    index.put("a", "the storm hit the coast on Monday night")
    explained = lookalike.dedup(["the storm hit a coast on Sunday night"], against=index).explain(0)
    assert explained["comparison"].verdict == "near_duplicates"
    assert explained["comparison"].jaccard == pytest.approx(explained["similarity"])


def test_a_report_is_one_page_with_the_texts(texts: list[str], tmp_path: Path) -> None:
    result = lookalike.dedup(texts, against=texts_of(7, 20))
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Deduplication report" in page
    assert "could not be read again" not in page
    with pytest.raises(lookalike.InputError, match="force="):
        result.report(tmp_path / "report.html")
    result.report(tmp_path / "report.html", texts="none", force=True)
    assert "Texts are left out" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_notebooks_show_charts_and_escape_texts() -> None:
    texts = ["<script>alert(1)</script> one two three four", "<script>alert(1)</script> one two three four!", "x"]
    result = lookalike.dedup(texts)
    page = result._repr_html_()
    assert "<svg" in page and "removed" in page and "<script>" not in page
    compared = lookalike.compare(texts[0], texts[1])._repr_html_()
    assert "<script>" not in compared and "&lt;script&gt;" in compared and "<mark style" in compared
    assert "<svg" in lookalike.tune(threshold=0.8)._repr_html_()
    assert "Nothing was removed" in lookalike.dedup(["a", "b"])._repr_html_()
    assert "<table>" in result.removed._repr_html_()
    for shown in (result, result.removed, lookalike.compare("a", "b"), lookalike.tune()):
        assert repr(shown).startswith("<lookalike.")


@pytest.mark.parametrize("keep", ["longest", "first", "last"])
def test_pairs_found_once_are_resolved_at_any_threshold(texts: list[str], keep: str) -> None:
    found = lookalike.pairs(texts, threshold=0.5, exact=True)
    for threshold in (0.5, 0.7, 0.8, 0.95):
        expected = lookalike.dedup(texts, threshold=threshold, exact=True, keep=keep)
        resolved = lookalike.resolve(found, rows=len(texts), threshold=threshold, keep=keep)
        assert resolved.kept == expected.kept
        assert resolved.mask == expected.mask
        assert resolved.select(texts) == expected.select(texts)
        for table, of_dedup in ((resolved.removed, expected.removed), (resolved.rows, expected.rows)):
            assert {name: table[name] for name in table.columns} == {name: of_dedup[name] for name in table.columns}
        known = {name: expected.summary["found"][name] for name in ("kept_count", "removed_count", "cluster_count")}
        assert resolved.summary["found"] == known
        removed = resolved.removed_rows[0]
        assert resolved.explain(removed)["comparison"].jaccard == expected.explain(removed)["comparison"].jaccard


def test_what_is_resolved_is_a_dedup_without_what_only_texts_tell(texts: list[str], tmp_path: Path) -> None:
    found = lookalike.pairs(texts, threshold=0.5, exact=True)
    resolved = lookalike.resolve(found, rows=len(texts))
    assert isinstance(resolved, lookalike.Dedup)
    assert len(resolved) == len(texts) and repr(resolved).startswith("<lookalike.Dedup: ")
    least = resolved.least_similar(3)["similarity"]
    assert least == sorted(least) and all(similarity < 1 for similarity in least)
    assert "<svg" in resolved._repr_html_()
    with pytest.raises(lookalike.LookalikeError, match="no report"):
        resolved.report(tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()
    with pytest.raises(lookalike.OptionError, match="of two tables"):
        lookalike.resolve(lookalike.pairs(texts, against=texts[:3]), rows=len(texts))
    names = [f"n{row}" for row in range(len(texts))]
    with_ids = lookalike.pairs(polars.DataFrame({"text": texts, "name": names}), id="name")
    removed = lookalike.resolve(with_ids, rows=len(texts)).removed
    assert removed["removed_id"] == [f"n{row}" for row in removed["removed_row"]] != []
    assert removed["kept_id"] == [f"n{row}" for row in removed["kept_row"]]


def test_pairs_of_simhash_are_resolved_with_their_bits(texts: list[str]) -> None:
    expected = lookalike.dedup(texts, method="simhash", keep="first")
    resolved = lookalike.resolve(lookalike.pairs(texts, method="simhash"), rows=len(texts), keep="first")
    for column in ("removed_row", "kept_row", "similarity", "hamming"):
        assert resolved.removed[column] == expected.removed[column]


def test_pairs_of_any_table_are_resolved(texts: list[str]) -> None:
    found = lookalike.pairs(texts, threshold=0.5, exact=True)
    expected = lookalike.resolve(found, rows=len(texts), keep="first")
    for table in (
        found.to_polars(),
        found.to_pandas(),
        found.to_arrow(),
        {name: found[name] for name in found.columns},
    ):
        assert lookalike.resolve(table, rows=len(texts)).kept == expected.kept
    values = [float(row) for row in range(len(texts))]
    assert (
        lookalike.resolve(found, rows=len(texts), keep=values).kept == lookalike.resolve(found, rows=len(texts), keep="last").kept
    )
    with pytest.raises(lookalike.OptionError, match="not known here"):
        lookalike.resolve(found.to_arrow(), rows=len(texts), keep="longest")
    with pytest.raises(lookalike.OptionError, match="rows"):
        lookalike.resolve(found.to_arrow(), rows=3)
    with pytest.raises(lookalike.ColumnError, match="left_row"):
        lookalike.resolve({"a": [1]}, rows=3)


def test_golden_vectors_hold() -> None:
    from lookalike import _native

    vectors: list[dict[str, Any]] = json.loads((ROOT / "fixtures" / "golden" / "vectors.json").read_text())
    assert len(vectors) >= 12
    for vector in vectors:
        given = {"shingle": vector["shingle"], "bands": vector["bands"], "rows": vector["rows"], "fold": vector.get("fold")}
        features, slots, keys = _native.sketch_of_text(given, vector["text"])
        assert features == [int(feature) for feature in vector["features"]]
        assert slots == [int(slot) for slot in vector["sketch"]]
        if features:
            assert keys == [int(key) for key in vector["band_keys"]]


def test_methods_side_by_side_and_a_suggested_threshold(texts: list[str]) -> None:
    evaluation = lookalike.evaluate(
        texts, methods=["minhash", "simhash:bits=6:verify", "exact"], thresholds=[0.7, 0.9], shingles=["word:3"]
    )
    assert [method["name"] for method in evaluation.methods] == ["minhash", "simhash:bits=6:verify", "exact"] * 2
    assert evaluation.methods[2]["recall"] == 1.0
    assert "<table>" in evaluation._repr_html_()
    named = lookalike.evaluate(texts, methods={"mine": {"method": "minhash", "bands": 25, "rows": 4}})
    assert named.methods[0]["name"] == "mine"
    with pytest.raises(lookalike.OptionError, match="simhash:bits=6:verify"):
        lookalike.evaluate(texts, methods=["simhash:bots=6"])
    tuning = lookalike.tune(texts, threshold=0.7)
    assert 0 < (tuning.suggested_threshold or 0) <= 1
    assert tuning.sample["document_count"] == len(texts)
    assert lookalike.tune().suggested_threshold is None


def test_tune_takes_a_measure_a_budget_and_labels(tmp_path: Path) -> None:
    bought = lookalike.tune(threshold=0.8, budget="64B")
    assert bought.sketch_bytes <= 64 and bought.budget
    assert (bought.bands, bought.rows) != (lookalike.tune(threshold=0.8).bands, lookalike.tune(threshold=0.8).rows)
    with pytest.raises(lookalike.OptionError) as both:
        lookalike.tune(budget="64B", recall=0.9)
    assert (both.value.option, both.value.kind) == ("budget", "not_with")
    with pytest.raises(lookalike.OptionError) as banded:
        lookalike.tune(measure="containment")
    assert banded.value.option == "measure"
    pair = {"left_id": "a", "right_id": "b", "left_file": "f", "left_position": 1, "right_file": "f", "right_position": 2}
    labels = [tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"]
    labels[0].write_text(json.dumps({**pair, "similarity": 0.82, "label": "same"}) + "\n")
    labels[1].write_text(
        json.dumps({**pair, "left_id": "c", "left_position": 3, "similarity": 0.93, "label": "different"}) + "\n"
    )
    judged = lookalike.tune(labels=labels).labels
    assert [(row["name"], row["same_count"], row["different_count"]) for row in judged] == [
        ("0.80 to 0.85", 1, 0),
        ("0.90 to 0.95", 0, 1),
    ]
    assert len(lookalike.tune(labels=labels[0]).labels) == 1
    with pytest.raises(lookalike.LookalikeError, match="gone"):
        lookalike.tune(labels=tmp_path / "gone.jsonl")
