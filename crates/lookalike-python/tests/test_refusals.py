"""The tables of refused and accepted requests through Python: each verdict is that of the library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lookalike
import pytest
from lookalike import _native

FIXTURES = Path(__file__).parents[3] / "fixtures"
# Rows that name their front ends are about options that Python does not have.
REFUSALS: list[dict[str, Any]] = [
    row for row in json.loads((FIXTURES / "refusals.json").read_text()) if "python" in row.get("through", ["python"])
]
ACCEPTED: list[dict[str, Any]] = json.loads((FIXTURES / "accepted.json").read_text())
TEXTS = ["a b c d e f", "a b c d e g", "x y z"]
TABLE = {"id": ["1", "2"], "name": ["ann", "bob"], "print": ["p", "p"], "x": [1, 2], "y": [1, 2], "angle": [1, 2]}


def call(job: str, given: dict[str, Any], folder: Path) -> None:
    """Calls the function of a job with these arguments."""
    if job == "dedup":
        lookalike.dedup(TEXTS, **given)
    elif job == "dedup_files":
        lookalike.dedup_files(folder / "in.jsonl", folder / "out", **given)
    elif job == "dedup_with_index":
        lookalike.Index.create(folder / "loose", threshold=0.7)
        lookalike.dedup_files(folder / "in.jsonl", folder / "out", against_index=folder / "loose", **given)
    elif job == "decontaminate":
        lookalike.decontaminate_files(folder / "in.jsonl", folder / "out", against=folder / "in.jsonl", **given)
    elif job == "pairs":
        lookalike.pairs(TEXTS, **given)
    elif job == "splits":
        lookalike.splits({"train": TEXTS, "test": TEXTS}, **given)
    elif job == "splits_files":
        lookalike.splits_files([folder / "in.jsonl", folder / "in.jsonl"], folder / "out", **given)
    elif job == "add":
        lookalike.Index.create(folder / "archive").add({"id": [1], "text": ["a b c"]}, id="id", **given)
    elif job == "passages":
        lookalike.passages_files(folder / "in.jsonl", folder / "out", **given)
    elif job == "extract_files":
        lookalike.extract_files(folder / "in.jsonl", folder / "texts.jsonl", **given)
    elif job == "create":
        lookalike.Index.create(folder / "made", **given)
    elif job == "search":
        lookalike.Index.create(folder / "archive").search("a text", **given)
    elif job == "search_for":
        lookalike.Index.create(folder / "archive").search(**given)
    elif job == "tune":
        lookalike.tune(**given)
    elif job == "evaluate":
        lookalike.evaluate(TEXTS, **given)
    elif job == "sets":
        lookalike.sets({"a": ["1"], "b": ["1"]} if "element" not in given else TABLE, **given)
    elif job == "prints":
        lookalike.prints(TABLE, **given)
    elif job == "link":
        lookalike.link(TABLE, **given)
    elif job == "link_files":
        lookalike.link_files(folder / "in.csv", folder / "out", **given)
    else:
        raise AssertionError(job)


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: f"{refusal['job']} {refusal['given']}")
def test_a_refusal_names_its_argument_and_kind(refusal: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "a b c"}\n')
    with pytest.raises(lookalike.OptionError) as raised:
        call(refusal["job"], refusal["given"], tmp_path)
    assert (raised.value.option, raised.value.kind) == (refusal["option"], refusal["kind"]), str(raised.value)
    for option, *value in refusal.get("offers", []):
        offer = f"{option}=" + "".join(f'"{word}"' for word in value)
        assert offer in str(raised.value).partition("; give ")[2], str(raised.value)


@pytest.mark.parametrize("accepted", ACCEPTED, ids=lambda accepted: str(accepted["given"]))
def test_an_accepted_request_has_its_fingerprint(accepted: dict[str, Any]) -> None:
    assert f"{_native.fingerprint(accepted['given']):016x}" == accepted["fingerprint"]
    summary = lookalike.dedup(TEXTS, **accepted["given"]).summary
    assert summary["parameters"]["fingerprint"] == accepted["fingerprint"]
