"""Keyword arguments to options of a request. The native part checks their values, and names the argument that is wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypedDict

Measure = Literal["jaccard", "containment"]
Method = Literal["minhash", "simhash", "supershingle", "exact", "copies"]
Group = Literal["independent", "components"]
Size = int | str
StrPath = str | os.PathLike[str]
Progress = bool | Callable[[str, int, int | None, int], object] | None


class More(TypedDict, total=False):
    """Parameters of methods that are seldom needed; each has the name of the command's flag."""

    stopwords: Iterable[str]
    key: str
    rows_random: bool
    slots: int
    sketch: Literal["fast", "classic"]
    agree: int
    bits: int
    sketch_bits: Literal[64, 128]
    shingle_weights: Literal["count", "idf", "none"]
    tables: Literal["blocks", "bands"]
    verify: bool
    checksum: Literal["text", "md5", "crc32", "sum"]


RECALL = 0.99

# Arguments that are not options of a request.
_OTHERS = frozenset({"progress", "against", "data", "left", "right"})


def given(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options among the arguments of a call: those that differ from the defaults in the signature of the function.

    A default is not asked for, so that a method without a recall does not have to be told so.
    """
    defaults: Mapping[str, Any] = function.__kwdefaults__ or {}
    more: Mapping[str, Any] = arguments.get("more", {})
    options = {
        name: arguments[name] for name, default in defaults.items() if name not in _OTHERS and not _is(arguments[name], default)
    }
    options.update(more)
    for name in ("fold", "stopwords"):
        if name in options and not isinstance(options[name], str):
            options[name] = list(options[name])
    if "exclude" in options:
        options["exclude"] = [options["exclude"]] if isinstance(options["exclude"], str) else list(options["exclude"])
    if isinstance(options.get("fold"), list):
        options["fold"] = ",".join(options["fold"])
    return options


def _is(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def scheme_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that say when documents are near-duplicates."""
    names = {"threshold", "shingle", "fold", "measure", "method", "recall", "bands", "rows", "exact", *More.__optional_keys__}
    return {name: value for name, value in options.items() if name in names}


def columns(text: str, id: str | None = None, source: str | None = None, value: str | None = None) -> dict[str, Any]:
    """The columns that a job reads."""
    return {"text": text, "id": id, "source": source, "value": value}


def dumps(columns: dict[str, Any]) -> str:
    """Columns as the native part takes them."""
    return json.dumps(columns, default=str)


def keep_column(keep: str) -> str | None:
    """The column of a keep order ``max:COLUMN`` or ``min:COLUMN``."""
    order, colon, column = str(keep).partition(":")
    return column if colon and column and order in ("max", "min") else None


def paths(inputs: StrPath | Iterable[StrPath]) -> list[str]:
    """Paths, patterns and addresses, of which one may stand alone."""
    if isinstance(inputs, (str, Path)) or hasattr(inputs, "__fspath__"):
        return [os.fspath(inputs)]  # type: ignore[arg-type]
    return [os.fspath(path) for path in inputs]
