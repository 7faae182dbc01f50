"""A run in tasks writes what the command writes, also if its processes are killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from corpora import CORPORA, SIZES, by_command, texts_of, tree
from lookalike import LookalikeError, OptionError, tasks


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "crawl"
    folder.mkdir()
    texts = texts_of(3, 600)
    for at in range(3):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts[at::3])
        (folder / f"{at}.jsonl").write_text(lines, encoding="utf-8")
    return folder


# Of families that are larger than these batches.
@pytest.mark.filterwarnings("ignore:the largest family:RuntimeWarning")
@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_comes_out_as_the_command_writes_it(
    command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make, options = CORPORA[name]
    Path("crawl").mkdir()
    make(Path("crawl"))
    expected = by_command(command, Path("crawl"), **options)
    tasks.run("crawl", "clean", "work", processes=1, **options, **SIZES)
    assert tree(Path("clean")) == expected
    if name not in ("examples", "empty"):
        assert len(expected["removed.jsonl"]) > 0 or name == "boilerplate"


@pytest.mark.filterwarnings("ignore:the largest family:RuntimeWarning")
def test_processes_write_what_the_command_writes(command: Path, corpus: Path) -> None:
    expected = by_command(command, Path("crawl"), threshold=0.6, method="minhash")
    summary = tasks.run("crawl", "clean", "work", processes=2, threshold=0.6, method="minhash", **SIZES)
    assert summary["found"]["removed_count"] > 0
    assert tree(Path("clean")) == expected


def test_the_command_line_has_the_flags_of_dedup(command: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--threshold", "0.6", "--method", "minhash", "--keep", "first", "--annotate"]
    expected = by_command(command, Path("crawl"), threshold=0.6, method="minhash", keep="first", annotate=True)
    sizes = ["--unit-bytes", "4000", "--batch-bytes", "2000"]
    assert tasks.main(["plan", "crawl", "-o", "clean", "--work", "work", *flags, *sizes]) == 0
    said = capsys.readouterr().out
    assert "600 documents" in said and "largest family" in said
    for name in tasks.STAGES:
        for part in (2, 0, 1):
            assert tasks.main(["run", "--stage", name, "--part", f"{part}/3", "--work", "work"]) == 0
    assert tree(Path("clean")) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--work", "work"], "INPUT is missing"),
        (["run", "crawl", "--work", "work"], "-o is missing"),
        (["run", "crawl", "--stage", "S1", "--work", "work"], "INPUT is in the plan already"),
        (["run", "--stage", "S1", "--threshold", "0.5", "--work", "work"], "--threshold is in the plan already"),
        (["run", "crawl", "-o", "clean", "--part", "0/2", "--work", "work"], "--part needs --stage"),
        (["run", "--stage", "S1", "--part", "2", "--work", "work"], "two numbers such as 7/64"),
    ],
)
def test_arguments_of_one_stage_and_of_a_run_are_not_mixed(
    corpus: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    tasks.plan("crawl", "clean", "work")
    assert tasks.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_new_plan_in_a_folder_that_was_removed_counts(corpus: Path) -> None:
    tasks.run("crawl", "clean", "work", processes=1, threshold=0.9, method="minhash")
    shutil.rmtree("work")
    shutil.rmtree("clean")
    summary = tasks.run("crawl", "clean", "work", processes=1, threshold=0.5, method="minhash")
    assert summary["parameters"]["threshold"] == 0.5


def test_a_family_that_is_larger_than_a_batch_is_reported(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(json.dumps({"text": f"{'the same words as everywhere else ' * 10}{at}"}) + "\n" for at in range(50))
    (corpus / "template.jsonl").write_text(lines, encoding="utf-8")
    given: dict[str, Any] = {"method": "minhash", "shingle": "word:1", "processes": 1}
    with pytest.warns(RuntimeWarning, match=r"the largest family has \d+ texts with .* kB, joined by [\d,]+ buckets"):
        tasks.run("crawl", "clean", "work", **given, **SIZES)
    Path("work/S5/000000.json").unlink()
    assert tasks.main(["run", "--stage", "S5", "--work", "work"]) == 0
    assert "warning: the largest family has" in capsys.readouterr().err
    flags = ["--method", "minhash", "--shingle", "word:1", "--batch-bytes", "2000"]
    assert tasks.main(["run", "crawl", "-o", "again", "--work", "another", *flags]) == 0
    assert "warning: the largest family has" in capsys.readouterr().err


def test_a_killed_run_goes_on(command: Path, corpus: Path) -> None:
    expected = by_command(command, Path("crawl"), method="minhash")
    arguments = ["crawl", "-o", "clean", "--work", "work", "--method", "minhash", "--unit-bytes", "4000", "--batch-bytes", "2000"]
    for _ in range(4):
        run = subprocess.Popen([sys.executable, "-m", "lookalike.tasks", "run", *arguments, "--processes", "2"])
        time.sleep(0.4)
        run.send_signal(signal.SIGKILL)
        run.wait()
    subprocess.run([sys.executable, "-m", "lookalike.tasks", "run", *arguments, "--processes", "2"], check=True)
    assert tree(Path("clean")) == expected


def test_only_accepted_attempts_count(corpus: Path) -> None:
    tasks.plan("crawl", "clean", "work", **SIZES)
    first = tasks.task("work", "S1", 0)
    assert tasks.missing("work", "S1")[0] == 0
    second = tasks.task("work", "S1", 0, attempt=1)
    assert [row["files"][0]["checksum"] for row in (first, second)] == [first["files"][0]["checksum"]] * 2
    tasks.accept("work", [second])
    assert tasks.missing("work", "S1") == list(range(1, tasks.units("work", "S1")))
    assert not (os.stat("work/plan.json").st_mode & 0o077), "the plan has the key of the run"


def test_what_is_wrong_is_said(corpus: Path) -> None:
    with pytest.raises(OptionError, match="threshold"):
        tasks.plan("crawl", "clean", "work", threshold=7)
    with pytest.raises(LookalikeError, match="not supported"):
        tasks.plan("crawl", "clean", "work", against_index="index")
    tasks.plan("crawl", "clean", "work")
    with pytest.raises(OptionError, match="there is no stage S9"):
        tasks.stage("work", "S9")
    with pytest.raises(LookalikeError, match="S1 is not complete"):
        tasks.stage("work", "S2")
    with pytest.raises(LookalikeError, match="counted from 0"):
        tasks.stage("work", "S1", 3, 3)
