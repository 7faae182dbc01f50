"""Keyword arguments to options of a request. The native part checks their values, and names the argument that is wrong."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict

from ._arguments import GIVEN, as_column, as_path, as_texts, plain, wrong_type
from ._errors import OptionError

Measure = Literal["jaccard", "containment"]
Method = Literal["minhash", "simhash", "supershingle", "exact", "copies"]
Group = Literal["independent", "components"]
Extract = Literal["text", "article"]
Size = int | str
StrPath = str | os.PathLike[str]
Progress = bool | Callable[[str, int, int | None, int], object] | None


class More(TypedDict, total=False):
    """Parameters of methods that are seldom needed; each has the name of the command's flag."""

    purpose: Literal["web", "news", "code", "short", "chat", "legal"]
    tokens: str
    count_repeats: bool
    each_field: bool
    within: str
    different_numbers: Literal["remove", "keep"]
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


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options among the arguments of a call: those that the caller gave, also with the value of the default.

    A default that nobody gave is not asked for, so that a method without a recall does not have to be told so.
    """
    more: Mapping[str, Any] = arguments.get("more", {})
    names = GIVEN.get() - _OTHERS
    options = {name: plain(value) for name, value in arguments.items() if name in names}
    options.update((name, plain(value)) for name, value in more.items())
    for name, what in _LISTS.items():
        if options.get(name) is not None:
            options[name] = as_texts(options[name], name, what)
    if isinstance(options.get("fold"), list):
        options["fold"] = ",".join(options["fold"])
    for name in _PATHS:
        if options.get(name) is not None:
            options[name] = as_path(options[name], name)
    for name, value in options.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise OptionError(f"{name}= must be a finite number, not {value}", option=name, kind="out_of_range", value=value)
    if isinstance(options.get("ignore_boilerplate"), os.PathLike):
        options["ignore_boilerplate"] = as_path(options["ignore_boilerplate"], "ignore_boilerplate")
    if isinstance(options.get("between"), (list, tuple)):
        options["between"] = [plain(end) for end in options["between"]]
    return options


# Arguments that take one path.
_PATHS = ("against_index", "baseline", "report", "work")

# Arguments that take one word or several.
_LISTS = {
    "fold": 'words such as "accents"',
    "stopwords": "a list of words",
    "exclude": 'patterns such as "*.md"',
    "fields": "names of columns",
}


def scheme_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that say when documents are near-duplicates."""
    names = {"threshold", "shingle", "fold", "measure", "method", "recall", "bands", "rows", "exact", *More.__optional_keys__}
    return {name: value for name, value in options.items() if name in names}


def columns(
    text: str,
    id: str | None = None,
    source: str | None = None,
    value: str | None = None,
    *,
    html_field: str | None = None,
    fields: Iterable[str] = (),
    shingle: object = None,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The columns that a job reads, as the native part takes them; with a shingle of tokens, lists of them are texts."""
    within = (more or {}).get("within")
    if (more or {}).get("purpose") == "chat" and "text" not in GIVEN.get():
        # As for files: conversations are lists of messages.
        text = "messages[].content"
    named = {"id": id, "source": source, "value": value}
    names = {role: None if name is None else as_column(name, role) for role, name in named.items()}
    return {
        "text": as_column(text, "text") if html_field is None else as_column(html_field, "html_field"),
        **names,
        "fields": as_texts(fields if within is None else [within], "fields", "names of columns"),
        "is_within": within is not None,
        "is_html": html_field is not None,
        "tokens": isinstance(shingle, str) and shingle.startswith("token"),
        "each_field": bool((more or {}).get("each_field", False)),
    }


def wanted(columns: Mapping[str, Any]) -> dict[str, str]:
    """The names of the columns that a job reads, each with the argument that names it."""
    roles = {"text": "html_field" if columns["is_html"] else "text", "id": "id", "source": "source", "value": "keep"}
    named: dict[str, str] = {}
    for role, argument in roles.items():
        for column in columns_of(columns[role]) if role == "text" else [columns[role]]:
            if column is not None:
                named.setdefault(column, argument)
    for field in columns["fields"]:
        named.setdefault(field, "within" if columns["is_within"] else "fields")
    return named


def is_composed(text: str | None) -> bool:
    """Whether a text is made of several columns, or of the elements of lists."""
    return text is not None and ("," in text or "[]" in text)


def columns_of(text: str | None) -> list[str | None]:
    """The columns that a text is made of."""
    if text is None or not is_composed(text):
        return [text]
    return [re.split(r"[.\[]", path.strip(), maxsplit=1)[0] for path in text.split(",")]


def keep_column(keep: str) -> str | None:
    """The column of a keep order ``max:COLUMN`` or ``min:COLUMN``, which may be one of several."""
    orders = (order.partition(":") for order in str(keep).split(","))
    return next((column for order, _, column in orders if column and order in ("max", "min")), None)


def paths(inputs: StrPath | Iterable[StrPath], name: str = "inputs") -> list[str]:
    """Paths, patterns and addresses, of which one may stand alone."""
    if isinstance(inputs, (str, os.PathLike)):
        return [as_path(inputs, name)]
    if not isinstance(inputs, Iterable) or isinstance(inputs, (bytes, Mapping)):
        raise wrong_type(name, "a path or a list of paths", inputs)
    return [as_path(path, name) for path in inputs]
