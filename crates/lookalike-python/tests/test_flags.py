"""What the command can do, Python can: every flag is an argument, but for those that make no sense here."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lookalike
import pytest
from lookalike._request import More

# How a terminal is written to; and a list of inputs is one in Python.
TERMINAL = {"help", "quiet", "verbose", "summary"}
LISTED = {"files_from"}
# How files become documents.
OF_FILES = {"split", "delimiter", "no_header", "exclude", "max_input"}
# Where rows go, which are a table here.
OF_ROWS = {"output", "format", "force"}
# One of several that are compared has its parameters with it: methods={"mine": {"method": "minhash", "bands": 20}}.
OF_ONE_METHOD = (More.__optional_keys__ - {"purpose", "tokens", "count_repeats", "stopwords", "key"}) | {
    "method",
    "exact",
    "recall",
    "bands",
    "rows",
    "threshold",
    "shingle",
}

Function = Callable[..., Any]
# For each command its functions, and the flags that these do not have.
JOBS: dict[str, tuple[list[Function], set[str]]] = {
    "dedup": ([lookalike.dedup_files], LISTED | {"removed"}),
    "pairs": ([lookalike.pairs_files], LISTED | {"show"}),
    "decontaminate": ([lookalike.decontaminate_files], LISTED),
    "passages": ([lookalike.passages_files], LISTED),
    "splits": ([lookalike.splits_files], LISTED),
    "extract": ([lookalike.extract_files], LISTED),
    "compare": (
        [lookalike.compare],
        OF_FILES
        | {"in", "text", "html_field", "id", "extract", "alt", "links", "memory", "max_record", "threads"}
        # Two texts have no source.
        | {"source", "ignore_boilerplate"},
    ),
    "tune": ([lookalike.tune], OF_FILES | {"id", "exact", "svg", "report", "force"}),
    "evaluate": (
        [lookalike.evaluate],
        (LISTED | OF_FILES | OF_ONE_METHOD | {"output", "report", "force"}) - {"each_field", "within", "different_numbers"},
    ),
    "sets": ([lookalike.sets], OF_ROWS | {"report"}),
    "prints": ([lookalike.prints], OF_ROWS),
    "link": ([lookalike.link_files], set()),
    "index create": ([lookalike.Index.create], set()),
    "index add": ([lookalike.Index.add], LISTED | OF_FILES | {"format"}),
    "index verify": ([lookalike.Index.verify], set()),
    "index compact": ([lookalike.Index.compact], set()),
    "search": ([lookalike.Index.search, lookalike.Index.search_many], OF_FILES | OF_ROWS | {"input", "id", "show"}),
}


def names(function: Function) -> set[str]:
    """The arguments of a function, with those that are seldom needed."""
    own = set(inspect.signature(function).parameters)
    return (own - {"more"}) | More.__optional_keys__ if "more" in own else own


@pytest.mark.parametrize("job", JOBS)
def test_every_flag_is_an_argument(job: str, command: Path) -> None:
    functions, lacking = JOBS[job]
    shown = subprocess.run([command, *job.split(), "--help"], capture_output=True, text=True, check=True).stdout
    # What the command calls --for is a word of the language here.
    flags = {
        "purpose" if flag == "for" else flag.replace("-", "_")
        for flag in re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)", shown, flags=re.MULTILINE)
    }
    assert flags - TERMINAL - set().union(*map(names, functions)) == lacking


def test_data_in_memory_has_the_arguments_of_files() -> None:
    written = {"inputs", "output", "force", "resume"} | OF_FILES
    report = {"report", "no_report", "report_texts", "dry_run", "annotate"}
    assert names(lookalike.dedup_files) - names(lookalike.dedup) == written | report | {"against_index", "add_kept"}
    assert names(lookalike.pairs_files) - names(lookalike.pairs) == written | {"format"}
    assert names(lookalike.decontaminate_files) - names(lookalike.decontaminate) == (written - {"resume"}) | (
        report - {"dry_run", "annotate"} | {"action", "fail_if_contaminated"}
    )
    assert names(lookalike.link_files) - names(lookalike.link) == {"tables", "output", "exclude", "max_input", "no_report"}
