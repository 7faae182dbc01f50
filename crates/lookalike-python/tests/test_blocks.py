"""Building blocks: sketches as columns, tokens of one's own, tables that are cut and stored, and an index used as a dict."""

from __future__ import annotations

import copy
import json
import pickle
import random
import tempfile
from pathlib import Path
from typing import Any

import lookalike
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import ROOT, texts_of


def test_sketches_find_the_candidates_of_all_pairs(texts: list[str]) -> None:
    sketches = lookalike.sketch(texts)
    keys = sketches["keys"].to_numpy()
    assert sketches.schema["keys"] == f"uint64[{keys.shape[1]}]" and keys.dtype == "uint64"
    for pair in lookalike.pairs(texts, exact=True):
        left, right = pair["left_row"], pair["right_row"]
        assert (keys[left] == keys[right]).any(), "the recall is 0.99, and no pair of these is missed"
        assert (sketches["text_hash"][left] == sketches["text_hash"][right]) == (
            lookalike.compare(texts[left], texts[right]).verdict in ("same_words", "exact_copies")
        )


def test_the_share_of_equal_bytes_estimates_the_similarity(texts: list[str]) -> None:
    slots = lookalike.sketch(texts, bands=128, rows=8)["sketch"].to_numpy()
    assert slots.shape == (len(texts), 1024)
    errors = []
    for pair in lookalike.pairs(texts, threshold=0.5, exact=True):
        estimate = (slots[pair["left_row"]] == slots[pair["right_row"]]).mean()
        errors.append(estimate - pair["jaccard"])
    # The standard deviation of one estimate is at most sqrt(0.25 / 1024) = 0.016, and one slot in 256 agrees by chance.
    assert len(errors) > 50 and max(abs(error) for error in errors) < 6 * 0.016


def test_batches_are_sketched_apart_and_put_together(texts: list[str]) -> None:
    frame = pa.table({"text": [*texts, None], "id": list(range(len(texts) + 1))})
    whole = lookalike.sketch(frame, id="id").to_arrow().drop_columns("row")
    parts = [lookalike.sketch(batch, id="id") for batch in frame.to_batches(max_chunksize=37)]
    assert (
        pa.concat_tables([part.to_arrow().drop_columns("row") for part in parts]).combine_chunks().equals(whole.combine_chunks())
    )
    stream = lookalike.sketch(iter(frame.to_batches(max_chunksize=37)), id="id")
    assert stream["keys"].to_numpy().tolist() == lookalike.sketch(frame)["keys"].to_numpy().tolist()
    assert whole["id"].type == pa.int64()


def test_sketches_are_those_of_the_golden_vectors() -> None:
    vectors = json.loads((ROOT / "fixtures" / "golden" / "vectors.json").read_text())
    for vector in vectors:
        given = {name: vector[name] for name in ("shingle", "bands", "rows", "fold") if vector.get(name)}
        row = lookalike.sketch([vector["text"]], **given)[0]
        if vector["features"]:
            assert row["keys"] == [int(key) for key in vector["band_keys"]]
            assert row["sketch"] == [int(slot) & 0xFF for slot in vector["sketch"]]
            assert row["feature_count"] == len(set(vector["features"]))
        else:
            assert row["keys"] is None and row["sketch"] is None and row["feature_count"] == 0


def test_rows_without_a_text_or_words_have_no_sketch() -> None:
    sketches = lookalike.sketch(["a b c", None, "", "!?"])
    assert [keys is None for keys in sketches["keys"]] == [False, True, True, True]
    assert sketches["feature_count"] == [1, None, 0, 0] and sketches["token_count"] == [3, None, 0, 0]
    assert sketches["content_hash"][2] != sketches["content_hash"][3] and sketches["content_hash"][1] is None
    assert pl.DataFrame(sketches).shape == pa.table(sketches).shape == (4, 7)


def test_a_method_without_sketches_is_refused() -> None:
    for given, option in (({"method": "exact"}, "method"), ({"method": "copies"}, "method"), ({"key": "random"}, "key")):
        with pytest.raises(lookalike.OptionError) as raised:
            lookalike.sketch(["a"], **given)  # type: ignore[arg-type]
        assert raised.value.option == option
    assert lookalike.sketch(["a b"], method="simhash").schema["sketch"] == "uint8[8]"


TOKENS = [["Don't", "stop", "me", "now"], ["Don't", "stop", "me", "now", "!"], ["don't", "stop", "me", "now"], None, []]


def brute(left: Any, right: Any, width: int) -> float:
    def runs(tokens: Any) -> set[tuple[Any, ...]]:
        width_here = min(width, len(tokens))
        return {tuple(tokens[at : at + width_here]) for at in range(len(tokens) - width_here + 1)} if tokens else set()

    return len(runs(left) & runs(right)) / len(runs(left) | runs(right))


def test_lists_of_tokens_are_compared_as_they_are() -> None:
    for data in (
        TOKENS,
        [tuple(tokens) if tokens is not None else None for tokens in TOKENS],
        pa.table({"text": TOKENS}),
        pl.DataFrame({"text": TOKENS}),
        pd.DataFrame({"text": TOKENS}),
        {"text": TOKENS},
        iter(TOKENS),
        iter(pa.table({"text": TOKENS}).to_batches()),
    ):
        pairs = lookalike.pairs(data, shingle="token:1", threshold=0.5)
        found = [(pair["left_row"], pair["right_row"], pair["similarity"]) for pair in pairs]
        assert found == [(0, 1, 0.8), (0, 2, 0.6), (1, 2, 0.5)]
    assert lookalike.pairs(["Don't stop", "don't stop"], shingle="token:1", threshold=0.1)["similarity"] == [1 / 3]


def test_tokens_with_blanks_and_numbers_are_tokens() -> None:
    with_blanks = [["New York", "is", "big"], ["New", "York", "is", "big"]]
    for data in (with_blanks, pa.table({"text": with_blanks})):
        assert lookalike.pairs(data, shingle="token:1", threshold=0.1)["similarity"] == [2 / 5]
    draw = random.Random(3)
    numbers = [[draw.randrange(6) for _ in range(draw.randrange(1, 12))] for _ in range(60)]
    for data in (numbers, pa.table({"text": numbers}), [np.array(row) for row in numbers]):
        for pair in lookalike.pairs(data, shingle="token:2", threshold=0.3, exact=True):
            assert pair["similarity"] == brute(numbers[pair["left_row"]], numbers[pair["right_row"]], 2)


def test_tokens_need_their_shingle_and_no_fold() -> None:
    for data in (TOKENS, pa.table({"text": TOKENS}), pl.DataFrame({"text": TOKENS})):
        with pytest.raises(lookalike.ColumnError, match='shingle="token:5"'):
            lookalike.dedup(data)
    with pytest.raises(lookalike.OptionError, match='fold= cannot be combined with shingle="token:5"'):
        lookalike.dedup(TOKENS, shingle="token:5", fold="accents")


def test_a_table_is_cut_filtered_and_described(texts: list[str]) -> None:
    pairs = lookalike.pairs(texts)
    rows = pairs.to_dicts()
    assert pairs[2:5].to_dicts() == pairs.slice(2, 3).to_dicts() == rows[2:5]
    assert pairs[::-2].to_dicts() == rows[::-2] and pairs.slice(-2).to_dicts() == rows[-2:]
    assert pairs[0] == rows[0] and pairs[-1] == rows[-1] and pairs[np.int64(1)] == rows[1]
    assert pairs.take(np.array([1, -1])).to_dicts() == [rows[1], rows[-1]]
    near = [row for row in rows if row["similarity"] < 1]
    assert 0 < len(near) < len(rows)
    assert pairs.filter(lambda row: row["similarity"] < 1).to_dicts() == near
    assert pairs.filter(pairs["similarity"].to_numpy() < 1).to_dicts() == near
    assert pairs[["right_row", "left_row"]].columns == ["right_row", "left_row"]
    assert pairs.schema["left_row"] == "uint64" and pairs.schema["similarity"] == "float64"
    assert list(pairs.schema) == pairs.columns
    with pytest.raises(lookalike.ColumnError, match="no column 'nothing': the columns are left_row"):
        pairs["nothing"]
    with pytest.raises(IndexError, match=f"there is no row {len(rows)}"):
        pairs[len(rows)]
    with pytest.raises(lookalike.OptionError, match="condition= has 1 flags"):
        pairs.filter([True])
    frame = pairs.to_pandas()
    assert str(frame["left_row"].dtype) == "uint64" and frame.shape == pairs.to_polars().shape == pairs.to_arrow().shape


def test_every_result_survives_pickling(texts: list[str], tmp_path: Path) -> None:
    frame = pl.DataFrame({"text": texts, "id": list(range(len(texts)))})
    result = lookalike.dedup(frame, id="id", against=texts[:3])
    again = pickle.loads(pickle.dumps(result))
    assert again.removed.to_dicts() == result.removed.to_dicts() and again.rows.to_dicts() == result.rows.to_dicts()
    assert again.kept == result.kept and again.summary == result.summary and repr(again) == repr(result)
    assert again.select(frame).equals(result.select(frame)) and again.removed.schema == result.removed.schema
    assert again.explain(again.removed_rows[0])["kept"] is False and "<svg" in again._repr_html_()
    with pytest.raises(lookalike.LookalikeError, match="pickled"):
        again.report(tmp_path / "report.html")
    pairs = pickle.loads(pickle.dumps(lookalike.pairs(frame, id="id")))
    assert lookalike.resolve(pairs, rows=len(texts)).kept == lookalike.dedup(frame).kept
    index = lookalike.Index.create(tmp_path / "index")
    index.put("a", "the storm hit the coast")
    linked = lookalike.link({"id": [1, 2, 3], "name": ["Ann Lee", "Ann Lee", "Bob Stone"]}, id="id")
    for value in (
        result.removed,
        result.least_similar(),
        result.explain(0),
        lookalike.sketch(texts[:5]),
        lookalike.compare("a b", "a c"),
        lookalike.tune(),
        lookalike.evaluate(texts[:20], methods=["minhash"]),
        linked,
        index,
    ):
        for other in (pickle.loads(pickle.dumps(value)), copy.copy(value)):
            assert type(other) is type(value) and repr(other) == repr(value)
            if isinstance(value, lookalike.Table):
                assert other.to_dicts() == value.to_dicts() and other.schema == value.schema


def test_ids_come_back_as_they_were_given(texts: list[str], tmp_path: Path) -> None:
    numbers = [row * 10 for row in range(len(texts))]
    data = {"text": texts, "id": numbers}
    spooled = iter(pa.table(data).to_batches(max_chunksize=50))
    for given in (
        data,
        pl.DataFrame(data),
        pd.DataFrame(data),
        pa.table(data),
        pa.table(data).to_batches(max_chunksize=50),
        spooled,
    ):
        result = lookalike.dedup(given, id="id")
        assert result.removed["removed_id"] == [10 * row for row in result.removed["removed_row"]] != []
        assert result.removed["kept_id"] == [10 * row for row in result.removed["kept_row"]]
    joined = pl.DataFrame(data).join(result.removed.to_polars(), left_on="id", right_on="removed_id")
    assert len(joined) == len(result.removed)
    pairs = lookalike.pairs(data, id="id")
    assert pairs["left_id"] == [10 * row for row in pairs["left_row"]]
    resolved = lookalike.resolve(pairs, rows=len(texts)).removed
    assert resolved["kept_id"] == [10 * row for row in resolved["kept_row"]]
    assert lookalike.resolve(pairs.to_polars(), rows=len(texts)).removed["removed_id"][0] % 10 == 0
    hashes = lookalike.dedup({"text": ["a b", "A b!"], "id": [2**64 - 1, 3]}, id="id", keep="first").removed
    assert hashes["kept_id"] == [2**64 - 1] and hashes.schema["kept_id"] == "uint64"
    assert lookalike.dedup({"text": ["a b", "A b!"], "id": [2**64, -3]}, id="id", keep="first").removed["kept_id"] == [str(2**64)]
    against = lookalike.dedup(data, id="id", against={"text": texts[:9], "id": numbers[:9]}).removed
    assert all(isinstance(id, int) for id in against["kept_id"])
    index = lookalike.Index.create(tmp_path / "index")
    index.add(data, id="id")
    # The ids of an index are texts, whatever they were.
    assert set(lookalike.dedup(data, id="id", against=index).removed["kept_id"]) <= {str(number) for number in numbers}
    assert lookalike.sets({7: ["a", "b"], 9: ["a", "b"]}, threshold=0.5)["right_id"] == [9]
    people = {
        "id": [5, 6, 7],
        "name": ["Ann Miller", "Ann Miller", "Bob Stone"],
        "born": ["1990-02-03", "1990-02-03", "1955-01-01"],
    }
    assert set(lookalike.link(people, id="id").clusters["id"]) == {5, 6, 7}


def test_rows_are_counted_from_0_in_every_function() -> None:
    people = {"name": ["Ann Miller", "Ann Miller", "Bob Stone"], "born": ["1990-02-03", "1990-02-03", "1955-01-01"]}
    assert sorted(lookalike.link(people).clusters["id"]) == [0, 1, 2]
    baskets = pa.table({"items": [["a", "b"], ["a", "b"], ["c"]]})
    assert lookalike.sets(baskets, column="items", threshold=0.5)["left_id"] == [0]
    assert lookalike.sets([["a", "b"], ["a", "b"]], threshold=0.5)["left_id"] == [0]
    skipped = lookalike.dedup(pa.table({"text": pa.array([b"a b", b"\xff\xfe"])})).summary["skipped"]
    assert [entry["row"] for entry in skipped] == [1]
    long = {"text": ["a b c d e", "a b c d f" * 100, "A b c d e"], "id": [1, 2, 3]}
    with tempfile.TemporaryDirectory() as folder:
        added = lookalike.Index.create(folder + "/index").add(long, id="id", max_record=60)
    evaluated = lookalike.evaluate(long, methods="minhash", max_record=60).values
    for report in (lookalike.pairs(long, max_record=60).report, lookalike.sketch(long, max_record=60).report, added, evaluated):
        assert [(entry["row"], "position" in entry) for entry in report["skipped"]] == [(1, False)]
    people["name"][1] = "x" * 1000
    passed_over = lookalike.link(people | {"city": ["a", "b", "c"]}, max_record=60).summary["skipped"]
    assert [(entry["table"], entry["row"]) for entry in passed_over] == [("left", 1)]
    texts = ["a b c d e", "A b c d e"]
    assert lookalike.dedup(texts).removed["kept_row"] == lookalike.pairs(texts)["left_row"] == [0]
    assert lookalike.sketch(texts)["row"] == [0, 1] and lookalike.dedup(texts).rows["row"] == [0, 1]


def test_an_index_is_used_as_a_dict(texts: list[str], tmp_path: Path) -> None:
    index = lookalike.Index.create(tmp_path / "index")
    index.add({"text": texts[:20], "id": list(range(20))}, id="id")
    assert len(index) == 20 and list(index) == [str(row) for row in range(20)]
    assert 3 in index and "3" in index and np.int64(3) in index and "nobody" not in index and None not in index
    assert index[3]["text"] == texts[3] == index["3"]["text"]
    with pytest.raises(KeyError):
        index["nobody"]
    del index[3]
    assert 3 not in index and len(index) == 19
    with pytest.raises(KeyError):
        del index[3]


def test_sets_with_any_elements_are_those_of_a_brute_force() -> None:
    draw = random.Random(5)
    words = ["a b", " c ", "[d", '"e"', "f\x1fg", "ü", "1", "#"]
    baskets = [draw.sample(words, draw.randrange(1, 6)) for _ in range(40)]
    for data in (baskets, {f"n{at}": basket for at, basket in enumerate(baskets)}, [set(basket) for basket in baskets]):
        found = lookalike.sets(data, threshold=0.5)
        pairs = {(str(p["left_id"]).lstrip("n"), str(p["right_id"]).lstrip("n")): p["similarity"] for p in found}
        for left in range(40):
            for right in range(left + 1, 40):
                one, other = set(baskets[left]), set(baskets[right])
                expected = len(one & other) / len(one | other)
                assert pairs.get((str(left), str(right)), 0) == (expected if expected >= 0.5 else 0)
    table = pa.table({"name": [str(at) for at in range(40)], "items": baskets})
    assert len(lookalike.sets(table, set="name", column="items", threshold=0.5)) == len(pairs)


def test_the_texts_of_one_pass_data_are_shown_too() -> None:
    texts = texts_of(3, 50)
    result = lookalike.dedup(iter(pa.table({"text": texts}).to_batches(max_chunksize=7)), threshold=0.6)
    for row in result.least_similar(5):
        assert (row["removed_text"], row["kept_text"]) == (texts[row["removed_row"]], texts[row["kept_row"]])
    row = result.removed_rows[0]
    assert texts[row][:20].strip() in str(result.explain(row))
