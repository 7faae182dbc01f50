"""The options of a job on Spark: which there are, which columns they need, and which are for sketches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._arguments import unknown_option, wrong_type
from .._errors import OptionError
from .._request import columns_of, keep_column

# What says when documents are near-duplicates, and how candidates are found: sketches need the same.
SCHEME = frozenset({
    "threshold", "shingle", "fold", "measure", "method", "recall", "bands", "rows", "count_repeats", "stopwords", "key",
    "rows_random", "slots", "sketch", "agree", "bits", "sketch_bits", "tables", "verify",
})  # fmt: skip
# How a text is read from its columns.
TEXT = frozenset({"text", "html_field", "extract", "alt", "links"})
RULES = frozenset({"different_numbers", "exact", "max_record"})
OF_JOB = {
    "dedup": frozenset({"id", "source", "keep", "group", "only_against"}),
    "pairs": frozenset({"id", "copies", "between"}),
}
# Options of the command that a job on Spark does not have, each with the reason.
NOT_HERE = {
    "ignore_boilerplate": "sketches are of whole texts; files instead of frame= take a saved table",
    "against_index": "an index is on one machine; pass the rows that it was made from as against=",
    "add_kept": "an index is on one machine",
    "fail_if_source_loses": "read the summary instead",
    "sample": "take a sample of the result instead",
    "each_field": "sketches are of the whole text",
    "within": "call it for each value instead",
    "purpose": "give the options that it stands for",
    "tokens": "give the name of a column of texts",
    "shingle_weights": "the weights are learned from the whole input",
    "checksum": "copies are found by their text",
    "threads": "spark.task.cpus says how many a task has",
    "memory": "spark.executor.memoryOverhead says how much a task has",
}


def checked(job: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, without those that are None."""
    known = SCHEME | TEXT | RULES | OF_JOB[job]
    for name, value in options.items():
        if name in NOT_HERE:
            message = f"{name}= is not possible on Spark: {NOT_HERE[name]}"
            raise OptionError(message, option=name, kind="not_with")
        if name not in known:
            raise unknown_option(name, known, job)
        if name == "key" and value == "random":
            message = 'key="random" is not possible on Spark: every task would have another'
            raise OptionError(message, option=name, kind="not_with")
    given = {name: value for name, value in options.items() if value is not None}
    is_exact = given.get("exact") or given.get("method") == "exact"
    if given.get("measure") == "containment" and not is_exact:
        message = 'measure="containment" needs exact=True on Spark: its keys depend on the sizes of all documents'
        raise OptionError(message, option="measure", kind="needs")
    if given.get("method") == "simhash":
        message = 'method="simhash" is not possible on Spark: its tables are of all documents'
        raise OptionError(message, option="method", kind="not_with")
    if isinstance(given.get("fold"), Iterable) and not isinstance(given["fold"], str):
        given["fold"] = ",".join(given["fold"])
    return given


def of_sketch(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of sketches. A method without sketches still needs the counts that come with them."""
    scheme = {name: value for name, value in options.items() if name in SCHEME}
    if scheme.get("method") in ("exact", "copies") or options.get("exact"):
        only = {"shingle", "fold", "measure", "count_repeats", "stopwords", "key"}
        scheme = {name: value for name, value in scheme.items() if name in only}
    return scheme


def of_text(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by which a text is read."""
    return {name: value for name, value in options.items() if name in TEXT}


def read_columns(options: Mapping[str, Any]) -> list[str]:
    """The columns that a job reads, without repetition."""
    text = options.get("html_field") or options.get("text", "text")
    if not isinstance(text, str):
        raise wrong_type("text", "the name of a column, as a text", text)
    others = [options.get("id"), options.get("source"), keep_column(options.get("keep", "longest"))]
    names = [name for name in [*columns_of(text), *others] if name is not None]
    return list(dict.fromkeys(names))


def order_columns(order: str | Iterable[str] | None) -> list[str]:
    """The columns that say in which order rows are."""
    if order is None:
        message = (
            "order= is missing: name the columns whose values say in which order the rows are, since those of a "
            "DataFrame have none; an id that no two rows share is enough"
        )
        raise OptionError(message, option="order", kind="missing")
    names = [order] if isinstance(order, str) else list(order)
    if not names or not all(isinstance(name, str) for name in names):
        raise wrong_type("order", "the name of a column, or a list of names", order)
    return names
