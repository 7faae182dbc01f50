"""Parts of documents: passages, and leaks between splits."""

import json

import lookalike
import pytest

LICENSE = "the quick brown fox jumps over the lazy dog while the patient cat looks on from the old stone wall"
TEXTS = [f"first page. {LICENSE}", "something else", f"another sheet. {LICENSE} and more", None]


def test_passages_have_the_rows_and_bytes_of_their_texts() -> None:
    found = lookalike.passages(TEXTS, unit="run:10")
    (passage,) = found
    assert (passage["row"], passage["first_row"], passage["copies"]) == (2, 0, 2)
    assert TEXTS[2].encode()[passage["start"] : passage["end"]].decode() == LICENSE
    assert len(lookalike.passages(TEXTS, unit="run:40")) == 0
    with pytest.raises(lookalike.OptionError):
        lookalike.passages(TEXTS, unit="chapter")


def test_leaks_are_those_of_later_splits() -> None:
    train, test = ["a b c d e f", "x y z"], ["A b c d e f!", "g h i", "x y z"]
    found = lookalike.splits({"train": train, "test": test})
    assert [(leak["row"], leak["other_row"], leak["same_words"]) for leak in found] == [(0, 0, True), (2, 1, True)]
    assert [(pair["leak_count"], pair["document_count"]) for pair in found.pairs] == [(2, 3)]
    assert not found.report["failed"]
    assert lookalike.splits({"train": train, "test": test}, fail_if_leaks=0.5).report["failed"]
    with pytest.raises(lookalike.OptionError):
        lookalike.splits(train)
    with pytest.raises(lookalike.InputError, match="no documents"):
        lookalike.splits({"train": train, "test": []}, fail_if_leaks=0.5)


def test_splits_that_share_passages_leak() -> None:
    found = lookalike.splits({"train": TEXTS[:2], "test": TEXTS[2:]}, passages="run:10")
    assert (len(found), found.pairs[0]["with_passage_count"], found.pairs[0]["leak_count"]) == (0, 1, 1)


def test_the_order_of_splits_is_the_one_given_whatever_holds_them() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    train = pyarrow.table({"text": ["one two three four", "five six seven eight", "alone"]})
    rows = [{"text": "nine ten eleven"}, {"text": "Five six, seven eight."}]
    expected = lookalike.splits({"train": train, "test": rows})
    for name, (first, second) in {
        "iterator last": (train, iter(rows)),
        "iterator first": (iter(train.to_pylist()), rows),
        "both": (iter(train.to_pylist()), iter(rows)),
    }.items():
        found = lookalike.splits({"train": first, "test": second})
        assert found.report["splits"] == expected.report["splits"], name
        assert [dict(leak) for leak in found] == [dict(leak) for leak in expected], name
        assert [leak["split"] for leak in found] == ["test"], name
    three = lookalike.splits({"train": train, "valid": iter(rows), "test": train})
    assert [(leak["split"], leak["other_split"], leak["row"], leak["other_row"]) for leak in three] == [
        ("valid", "train", 1, 1),
        ("test", "train", 0, 0),
        ("test", "train", 1, 1),
        ("test", "valid", 1, 1),
        ("test", "train", 2, 2),
    ]


def test_a_dict_of_datasets_is_a_dict_of_splits(tmp_path) -> None:  # type: ignore[no-untyped-def]
    class DatasetDict(dict):  # type: ignore[type-arg]
        """As that of datasets, which need not be installed."""

    splits = DatasetDict(train={"text": ["a b c", "d e f"]}, validation={"text": ["g h i"]}, test={"text": ["D e f"]})
    found = lookalike.splits(splits)
    assert [pair["split"] for pair in found.pairs] == ["validation", "test", "test"]
    assert [(leak["split"], leak["other_split"]) for leak in found] == [("test", "train")]
    paths = []
    for name, split in splits.items():
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps({"text": text}) + "\n" for text in split["text"]))
    report = lookalike.splits_files(paths, tmp_path / "out")
    assert [pair["leak_count"] for pair in report["pairs"]] == [0, 1, 0]
    leak = json.loads((tmp_path / "out" / "leaks.jsonl").read_text())
    assert leak["document_id"] == "test.jsonl:1"
