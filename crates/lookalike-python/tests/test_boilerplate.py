"""Boilerplate of sources is ignored as the command ignores it."""

from __future__ import annotations

import json
from pathlib import Path

import lookalike
import pytest

MENU = " ".join(f"menu{at}" for at in range(60))
ITEMS = [" ".join(f"item{item}x{at}" for at in range(20)) for item in range(30)]
ROWS = [{"text": f"{MENU} {item}", "shop": "a"} for item in [*ITEMS, f"{ITEMS[3]} now"]]


def test_rows_of_one_template_are_kept_apart() -> None:
    assert len(lookalike.dedup(ROWS, threshold=0.5).kept) == 1
    result = lookalike.dedup(ROWS, threshold=0.5, source="shop", ignore_boilerplate=True)
    assert list(result.removed["removed_row"]) == [3]
    assert list(result.removed["kept_row"]) == [30]
    assert result.removed["ignored_of_removed"].to_list() == [pytest.approx(56 / 76)]
    assert result.summary["boilerplate"]["source_count"] == 1


def test_pairs_say_how_much_is_ignored() -> None:
    pairs = lookalike.pairs(ROWS, threshold=0.5, source="shop", ignore_boilerplate=0.4)
    assert (list(pairs["left_row"]), list(pairs["right_row"])) == ([3], [30])
    assert pairs["ignored_of_left"].to_list() == [pytest.approx(56 / 76)]


def test_files_have_the_answer_of_rows(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    summary = lookalike.dedup_files(
        tmp_path / "in.jsonl", tmp_path / "out", threshold=0.5, source="shop", ignore_boilerplate=True
    )
    assert summary["found"]["removed_count"] == 1
    assert summary["boilerplate"]["undecided_count"] == 0


def test_what_is_tried_out_is_what_is_run() -> None:
    evaluation = lookalike.evaluate(ROWS, methods="minhash", thresholds=0.5, source="shop", ignore_boilerplate=True)
    assert evaluation.true_pairs[0]["pair_count"] == 1
    sample = lookalike.tune(ROWS, threshold=0.5, source="shop", ignore_boilerplate=True).sample
    # Sketches find a pair with a probability below 1, by which the count is divided.
    assert max(step["pair_count"]["value"] for step in sample["pairs"]) == pytest.approx(1, abs=0.01)
    with pytest.raises(lookalike.OptionError, match="ignore_boilerplate"):
        lookalike.tune(ignore_boilerplate=True)


def test_what_is_compared_of_a_page_is_written(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    lookalike.extract_files(tmp_path / "in.jsonl", tmp_path / "out.jsonl", source="shop", ignore_boilerplate=True)
    texts = [json.loads(line)["text"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert texts[0] == " ".join(MENU.split()[-4:]) + " " + ITEMS[0]


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(lookalike.OptionError, match="ignore_boilerplate= must be a share of pages"):
        lookalike.dedup(ROWS, ignore_boilerplate=tmp_path / "gone")
