"""Arguments of Python to requests of the native part: what is wrong with them is said here or there, by their names."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, TypedDict

from ._errors import OptionError

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
    weights: Literal["count", "idf", "none"]
    tables: Literal["blocks", "bands"]
    verify: bool
    checksum: Literal["text", "md5", "crc32", "sum"]


_UNITS = {
    "": 1,
    "b": 1,
    "k": 10**3,
    "kb": 10**3,
    "m": 10**6,
    "mb": 10**6,
    "g": 10**9,
    "gb": 10**9,
    "t": 10**12,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}

RECALL = 0.99


def size(option: str, value: Size | None) -> int | None:
    """A size in bytes: a number, or one such as "500M", "1.5GB" or "2GiB"."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        written = value.strip()
        unit = next((at for at, character in enumerate(written) if character.isalpha()), len(written))
        factor = _UNITS.get(written[unit:].lower())
        try:
            number = float(written[:unit])
        except ValueError:
            number = -1.0
        if factor is not None and 0 <= number < float("inf"):
            return int(number * factor)
    raise OptionError(f'{option}={value!r} is not a size: give one such as "500M" or "4G"', option=option, value=value)


def scheme(
    *,
    threshold: float,
    shingle: str,
    fold: str | Iterable[str],
    measure: str,
    method: str,
    recall: float | None,
    bands: int | None,
    rows: int | None,
    exact: bool,
    more: More,
) -> dict[str, Any]:
    """When two documents are near-duplicates, and how they are found."""
    unknown = set(more) - More.__optional_keys__
    if unknown:
        name = sorted(unknown)[0]
        raise TypeError(f"{name!r} is not an argument: the arguments of methods are {sorted(More.__optional_keys__)}")
    if not isinstance(threshold, (int, float)) or isinstance(threshold, bool):
        raise OptionError(f"threshold={threshold!r} is not a number", option="threshold", value=threshold)
    # The default is not a wish: bands and rows, and methods without a recall, need not be told so.
    wants_recall = recall is not None and recall != RECALL
    request: dict[str, Any] = {
        "threshold": float(threshold),
        "shingle": shingle,
        "fold": _folds(fold),
        "measure": measure,
        "method": method,
        "exact": bool(exact),
        "recall": recall if wants_recall else None,
        "bands": bands,
        "rows": rows,
    }
    request.update({name: value for name, value in more.items() if value is not None})
    if "stopwords" in request:
        request["stopwords"] = list(request["stopwords"])
    return request


def _folds(fold: str | Iterable[str]) -> list[str]:
    return [part for part in fold.split(",") if part] if isinstance(fold, str) else list(fold)


def resources(
    *,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    max_record: Size | None = None,
    resume: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """How much a job may use."""
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise OptionError(f"threads={threads!r} is not possible: give 1 or more", option="threads", value=threads)
    return {
        "threads": threads,
        "memory": size("memory", memory),
        "work": None if work is None else os.fspath(work),
        "max_record": size("max_record", max_record),
        "resume": resume,
        "force": force,
    }


def columns(text: str, id: str | None = None, source: str | None = None, value: str | None = None) -> dict[str, Any]:
    """The columns that a job needs."""
    return {"text": text, "id": id, "source": source, "value": value}


def keep_column(keep: str) -> str | None:
    """The column of a keep order ``max:COLUMN`` or ``min:COLUMN``."""
    order, colon, column = keep.partition(":")
    return column if colon and column and order in ("max", "min") else None


def dumps(request: dict[str, Any]) -> str:
    """A request as the native part reads it."""
    try:
        return json.dumps(request)
    except (TypeError, ValueError) as error:
        raise OptionError(f"an argument is not possible: {error}", option="") from error


def paths(inputs: StrPath | Iterable[StrPath]) -> list[str]:
    """Paths, patterns and addresses, of which one may stand alone."""
    if isinstance(inputs, (str, Path)) or hasattr(inputs, "__fspath__"):
        return [os.fspath(inputs)]  # type: ignore[arg-type]
    return [os.fspath(path) for path in inputs]
