"""A wrong argument is named, with what it takes and what was meant; numbers of numpy and odd texts are fine."""

from __future__ import annotations

import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lookalike
import numpy as np
import pyarrow as pa
import pytest

TEXTS = ["the storm hit the coast", "The storm hit the coast!", "a quiet day"]


def index(folder: Path) -> lookalike.Index:
    return lookalike.Index.create(folder / "index")


MEANT: list[tuple[str, str, str]] = [
    ("dedup", "num_perm", "slots"),
    ("dedup", "treshold", "threshold"),
    ("dedup", "ngram", "shingle"),
    ("dedup", "n_jobs", "threads"),
    ("dedup", "column", "text"),
    ("pairs", "jaccard_threshold", "threshold"),
    ("pairs", "num_bands", "bands"),
    ("compare", "n_grams", "shingle"),
    ("evaluate", "threshold", "thresholds"),
    ("tune", "num_perm", "slots"),
    ("sets", "top_k", "top"),
    ("link", "threshold_match_probability", "threshold"),
    ("link", "unique_id_column_name", "id"),
    ("dedup_files", "output_folder", "output"),
    ("sketch", "verbose", "progress"),
    ("resolve", "row", "rows"),
]


@pytest.mark.parametrize(("function", "given", "meant"), MEANT, ids=[f"{case[0]} {case[1]}" for case in MEANT])
def test_an_argument_that_does_not_exist_names_the_one_that_was_meant(function: str, given: str, meant: str) -> None:
    with pytest.raises(
        lookalike.UnknownOptionError, match=rf"^{function}\(\) has no argument {given}=: did you mean {meant}=\?$"
    ) as raised:
        getattr(lookalike, function)(TEXTS, **{given: 1})
    assert raised.value.option == given and isinstance(raised.value, TypeError)


def test_methods_of_classes_name_it_too(tmp_path: Path) -> None:
    with pytest.raises(lookalike.UnknownOptionError, match="did you mean top="):
        index(tmp_path).search("a", limit=3)  # type: ignore[call-arg]
    with pytest.raises(lookalike.UnknownOptionError, match="its arguments are count"):
        lookalike.dedup(TEXTS).least_similar(zzz=3)  # type: ignore[call-arg]


WRONG: list[tuple[str, Callable[[Path], Any], str]] = [
    ("threshold", lambda _: lookalike.dedup(TEXTS, threshold="high"), "must be a number"),  # type: ignore[arg-type]
    ("threads", lambda _: lookalike.dedup(TEXTS, threads="all"), "must be a whole number"),  # type: ignore[arg-type]
    ("fold", lambda _: lookalike.dedup(TEXTS, fold=5), "must be words such as"),  # type: ignore[arg-type]
    ("fold", lambda _: lookalike.dedup(TEXTS, fold=[5]), "must be words such as"),  # type: ignore[list-item]
    ("stopwords", lambda _: lookalike.dedup(TEXTS, shingle="stopword", stopwords=5), "must be a list of words"),  # type: ignore[typeddict-item, arg-type]
    ("text", lambda _: lookalike.dedup(TEXTS, text=5), "the name of a column"),  # type: ignore[arg-type]
    ("id", lambda _: lookalike.dedup(TEXTS, id=["a"]), "the name of a column"),  # type: ignore[arg-type]
    ("work", lambda _: lookalike.dedup(TEXTS, work=5), "must be a path"),  # type: ignore[arg-type]
    ("progress", lambda _: lookalike.dedup(TEXTS, progress="yes"), "must be a function"),  # type: ignore[arg-type]
    ("against", lambda _: lookalike.dedup(TEXTS, against=5), "takes a data frame"),  # type: ignore[arg-type]
    ("data", lambda _: lookalike.dedup(5), "takes a data frame"),  # type: ignore[arg-type]
    ("data", lambda _: lookalike.dedup([pa.table({"text": ["a"]}), "b"]), "item 1 of data= is a str"),
    ("left", lambda _: lookalike.compare(1, "a"), "must be a text, not 1"),  # type: ignore[arg-type]
    ("right", lambda _: lookalike.compare("a", None), "must be a text, not None"),  # type: ignore[arg-type]
    ("rows", lambda _: lookalike.resolve(lookalike.pairs(TEXTS), rows="3"), "must be a whole number, not '3'"),  # type: ignore[arg-type]
    ("rows", lambda _: lookalike.resolve(lookalike.pairs(TEXTS), rows=-1), "must be at least 0"),
    ("keep", lambda _: lookalike.resolve(lookalike.pairs(TEXTS), rows=3, keep=7), "a number for each row"),  # type: ignore[arg-type]
    ("row", lambda _: lookalike.dedup(TEXTS).explain("a"), "must be a whole number"),  # type: ignore[arg-type]
    ("count", lambda _: lookalike.dedup(TEXTS).least_similar(1.5), "must be a whole number"),  # type: ignore[arg-type]
    ("path", lambda _: lookalike.dedup(TEXTS).report(5), "must be a path"),  # type: ignore[arg-type]
    ("path", lambda _: lookalike.Index.open(5), "must be a path"),  # type: ignore[arg-type]
    ("id", lambda folder: index(folder).put(None, "a"), "must be an id"),  # type: ignore[arg-type]
    ("text", lambda folder: index(folder).put("a", 5), "must be a text, not 5"),  # type: ignore[arg-type]
    ("fields", lambda folder: index(folder).put("a", "b", 5), "must be a dict"),  # type: ignore[arg-type]
    ("text", lambda folder: index(folder).search(5), "must be a text"),  # type: ignore[arg-type]
    ("top", lambda folder: index(folder).search("a", top="all"), "must be a whole number"),  # type: ignore[arg-type]
    ("inputs", lambda folder: lookalike.dedup_files(5, folder), "a path or a list of paths"),  # type: ignore[arg-type]
    ("output", lambda folder: lookalike.dedup_files(folder, 5), "must be a path"),  # type: ignore[arg-type]
    ("data", lambda _: lookalike.sets(7, threshold=0.5), "takes a data frame"),
    ("data", lambda _: lookalike.sets(["ab", "c"], threshold=0.5), "each a list of elements"),
    ("left", lambda _: lookalike.link(["a"]), "takes a data frame"),
    ("model", lambda _: lookalike.link({"a": ["b"]}, model=5), "must be a result of link"),  # type: ignore[arg-type]
    ("thresholds", lambda _: lookalike.evaluate(TEXTS, thresholds=None), "list"),  # type: ignore[arg-type]
    ("thresholds", lambda _: lookalike.evaluate(TEXTS, thresholds=[0.8, 7]), "above 0 and at most 1, not 7"),
    ("methods", lambda _: lookalike.evaluate(TEXTS, methods={"mine": 5}), "a dict of names and arguments"),  # type: ignore[dict-item]
    ("purge", lambda folder: index(folder).compact(purge="yes"), "must be True or False, not 'yes'"),  # type: ignore[arg-type]
    ("repair", lambda folder: index(folder).verify(repair=1), "must be True or False, not 1"),
    ("unless_duplicate", lambda folder: index(folder).put("a", "b", unless_duplicate="no"), "must be True or False"),  # type: ignore[arg-type]
    ("texts", lambda folder: lookalike.dedup(TEXTS).report(folder / "a.html", texts=5), "must be a text, not 5"),  # type: ignore[arg-type]
    ("force", lambda folder: lookalike.dedup(TEXTS).report(folder / "a.html", force=None), "must be True or False"),  # type: ignore[arg-type]
    ("count", lambda _: lookalike.dedup(TEXTS).rows.head("all"), "must be a whole number"),  # type: ignore[arg-type]
    ("keep", lambda _: lookalike.resolve(lookalike.pairs(TEXTS), rows=3, keep=["a", "b", "c"]), "a number for each row"),  # type: ignore[list-item]
    ("keep", lambda _: lookalike.resolve(lookalike.pairs(TEXTS), rows=3, keep=[1.0]), "has 1 numbers, and rows=3"),
    ("against", lambda _: lookalike.prints({"x": [1]}, against={"x": 1}), "its values must be columns"),
    ("set", lambda _: lookalike.sets({"a": ["b"]}, set=5, threshold=0.5), "the name of a column"),  # type: ignore[arg-type]
    ("path", lambda folder: index(folder).snapshot(""), "must be a path, not ''"),
    ("output", lambda folder: lookalike.dedup_files(folder, ""), "must be a path, not ''"),
    ("threshold", lambda _: lookalike.dedup(TEXTS, threshold=float("nan")), "must be a finite number, not nan"),
    ("report", lambda _: lookalike.link({"a": ["b"]}, report=5), "must be a path"),  # type: ignore[arg-type]
    ("labels", lambda _: lookalike.link({"a": ["b"]}, labels=5), "must be a path"),  # type: ignore[arg-type]
    ("labels", lambda _: lookalike.evaluate(TEXTS, labels=5), "must be a path"),  # type: ignore[arg-type]
    ("against_index", lambda folder: lookalike.dedup_files(folder, folder / "out", against_index=5), "must be a path"),  # type: ignore[arg-type]
    ("path", lambda _: lookalike.Index.open("\ud800"), "a path that a file can have"),
]


@pytest.mark.parametrize(("option", "call", "words"), WRONG, ids=[f"{at} {case[0]}" for at, case in enumerate(WRONG)])
def test_a_value_of_a_wrong_type_names_its_argument_and_what_it_takes(
    option: str, call: Callable[[Path], Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(lookalike.OptionError) as raised:
        call(tmp_path)
    assert raised.value.option == option and words in str(raised.value), str(raised.value)


def test_an_error_shows_neither_frames_nor_names_of_the_package() -> None:
    calls: list[Callable[[], object]] = [
        lambda: lookalike.dedup(TEXTS, threshold=2),
        lambda: lookalike.dedup(["a", 5]),  # type: ignore[list-item]
        lambda: lookalike.dedup(pa.table({"a": [1]})),
        lambda: lookalike.dedup(TEXTS, text=7),  # type: ignore[arg-type]
        lambda: lookalike.resolve({"left_row": [0]}, rows=3),
    ]
    for call in calls:
        with pytest.raises(lookalike.LookalikeError) as raised:
            call()
        error = raised.value
        assert error.__cause__ is None and (error.__context__ is None or error.__suppress_context__)
        frames = traceback.extract_tb(error.__traceback__)
        assert sum("lookalike" in Path(frame.filename).parts[-2] for frame in frames) <= 1
        for word in ("_native", "serde", "line 1 column", "invalid type", "PyString", "RecordBatch", "Utf8", "unwrap"):
            assert word not in str(error)


def test_what_the_caller_gives_counts_also_if_it_is_the_default(tmp_path: Path) -> None:
    loose = lookalike.Index.create(tmp_path / "loose", threshold=0.5)
    loose.put("a", "the storm hit the coast on Monday night and left")
    near = ["the storm hit the coast on Monday night and stayed"]
    assert lookalike.dedup(near, against=loose, shingle="word:5", threshold=0.5).kept == []
    assert lookalike.dedup(near, against=loose).kept == [], "the scheme is that of the index"
    with pytest.raises(lookalike.OptionError, match="^against= must be an index with the scheme of this run") as raised:
        lookalike.dedup(near, against=loose, threshold=0.8)
    assert raised.value.option == "against"
    with pytest.raises(lookalike.OptionError, match="html_field= cannot be combined with text="):
        lookalike.dedup(pa.table({"html": ["a"], "text": ["a"]}), html_field="html", text="text")
    # Functions called internally have arguments of their own.
    assert lookalike.dedup(near, threshold=0.8).summary["parameters"]["threshold"] == 0.8


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    plain = lookalike.dedup(TEXTS, threshold=0.8, threads=2, bands=20, rows=6)
    for real, whole in ((np.float64, np.int64), (np.float32, np.int8), (np.float16, np.uint32)):
        result = lookalike.dedup(TEXTS, threshold=real(0.8), threads=whole(2), bands=whole(20), rows=whole(6))
        assert result.summary["parameters"]["threshold"] == 0.8
        assert result.kept == plain.kept
    assert lookalike.dedup(TEXTS, exact=np.bool_(True)).kept == plain.kept
    assert lookalike.resolve(lookalike.pairs(TEXTS), rows=np.int64(3), threshold=np.float32(0.8)).kept == plain.kept
    assert lookalike.pairs(TEXTS, between=(np.float32(0.5), np.float64(1.0)), sample=np.int64(1))["left_row"] == [0]
    assert plain.explain(np.int64(1))["kept"] is False and len(plain.least_similar(np.int64(1))) == 1
    assert len(plain.rows.head(np.int32(2))) == 2 and plain.kept[np.int64(0)] == 0
    saved = index(tmp_path)
    saved.add({"text": TEXTS, "id": ["a", "b", "c"]}, id="id", threads=np.int64(1))
    assert len(saved.search(TEXTS[0], top=np.int64(1), threshold=np.float32(0.8))) == 1
    assert len(saved.search_many(TEXTS, threads=np.int64(1), top=np.int8(1))) == 3
    assert lookalike.tune(threshold=np.float32(0.8), recall=np.float32(0.99)).bands == lookalike.tune(threshold=0.8).bands
    assert len(lookalike.evaluate(TEXTS, methods=["minhash"], thresholds=np.array([0.7, 0.8])).methods) == 2


def test_half_of_a_surrogate_pair_is_one_replacement_everywhere(tmp_path: Path) -> None:
    odd, repaired = "a b c d \ud800", "a b c d \ufffd"
    assert lookalike.compare(odd, repaired).verdict == "exact_copies"
    saved = index(tmp_path)
    assert saved.put("\ud83d", odd) == "added"
    assert saved.search(odd)["exact_copy"] == [True] and "\ud83d" in saved and saved["\ud83d"]["text"] == repaired
    assert lookalike.dedup({"text": [odd, repaired], "id": [odd, "b"]}, id="id").removed["kept_id"] == [repaired]
    assert lookalike.dedup({"text": [odd, repaired], "n": [odd, "b"]}, keep="max:n").kept in ([0], [1])
    assert lookalike.sets({odd: [odd, "x"], "b": [repaired, "x"]}, threshold=0.9)["left_id"] == [repaired]
    assert lookalike.dedup([{"text": odd}], against=[repaired]).kept == []


def test_the_package_is_imported_without_what_is_seldom_needed() -> None:
    seldom = ("inspect", "difflib", "numpy", "tqdm", "IPython", "html")
    code = f"import sys, lookalike; print([name for name in {seldom} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
