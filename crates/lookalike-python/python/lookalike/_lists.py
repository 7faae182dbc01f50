"""Lists, dicts of columns and lists of dicts, to what the native part reads."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._arguments import no_column
from ._errors import ColumnError, OptionError
from ._request import columns_of, is_composed, wanted

# Replacement for a blank inside a token: it looks like a blank, but does not end the token.
BLANK = "\u00a0"


def check_columns(columns: Mapping[str, Any], existing: Sequence[Any]) -> None:
    """Every column that is asked for is there, once."""
    for column, argument in wanted(columns).items():
        count = sum(1 for name in existing if name == column)
        if count == 0:
            raise no_column(column, existing, argument)
        if count > 1:
            raise ColumnError(
                f"{count} columns are called '{column}': rename all but one",
                column=column,
                columns=list(existing),
                option=argument,
            )


def of_table(data: Mapping[Any, Any], columns: dict[str, Any], name: str) -> _native.Input:
    """A dict of columns."""
    check_table(data, name)
    check_columns(columns, list(data))
    return of_lists({column: as_list(data[column]) for column in wanted(columns)}, columns, name)


def of_records(data: Sequence[Mapping[str, Any] | None], columns: dict[str, Any], name: str) -> _native.Input:
    """A list of dicts, which are rows. What a row does not have is missing."""
    for row, record in enumerate(data):
        if record is not None and not isinstance(record, Mapping):
            raise OptionError(
                f"row {row} of {name}= is of the type {type(record).__name__}, and the rows before it are dicts",
                option=name,
                kind="wrong_type",
            )
    known = dict.fromkeys(key for record in data for key in record or ())
    check_columns(columns, list(known))
    return of_lists(
        {column: [None if record is None else record.get(column) for record in data] for column in wanted(columns)}, columns, name
    )


def of_lists(lists: Mapping[str, Sequence[Any]], columns: dict[str, Any], name: str) -> _native.Input:
    """Columns as lists."""
    for column, argument in wanted(columns).items():
        if column not in lists:
            raise ColumnError(
                f"a list of texts has no column '{column}': give a data frame, or leave out {argument}=",
                column=column,
                columns=[],
                option=argument,
            )

    def values(role: str) -> list[Any] | None:
        column = columns[role]
        return None if column is None else [_value(value) for value in lists[column]]

    texts: Sequence[Any]
    texts = _composed(lists, columns) if is_composed(columns["text"]) else lists[columns["text"]]
    plain = texts if isinstance(texts, list) else list(texts)
    others = {"ids": values("id"), "sources": values("source"), "values": values("value")}
    others["fields"] = _objects(lists, columns["fields"])
    try:
        return _native.Input.of_lists({"texts": plain, **others}, columns, name)
    except TypeError:
        # Something in it is no text.
        pass
    texts = [_text(row, text, columns) for row, text in enumerate(plain)]
    return _native.Input.of_lists({"texts": texts, **others}, columns, name)


# Separator between the fields of a text, if fields are distinguished.
_BETWEEN_FIELDS = "\x1e"


def _composed(lists: Mapping[str, Sequence[Any]], columns: Mapping[str, Any]) -> list[Any]:
    """Texts made of several columns, or of the elements of lists, as files give them."""
    paths = [path.strip() for path in columns["text"].split(",")]
    names = [name for name in columns_of(columns["text"]) if name is not None]
    rows = zip(*(lists[name] for name in names), strict=True)
    return [
        _joined([_values(value, path[len(name) :]) for value, name, path in zip(row, names, paths, strict=True)], columns)
        for row in rows
    ]


def _joined(fields: list[list[Any]], columns: Mapping[str, Any]) -> Any:
    found = [value for field in fields for value in field]
    if not found:
        return None
    other = next((value for value in found if not isinstance(value, str)), None)
    if other is not None:
        # Refused as a text of one column would be.
        return other
    if columns["each_field"]:
        return _BETWEEN_FIELDS.join("\n".join(value.replace(_BETWEEN_FIELDS, " ") for value in field) for field in fields)
    return "\n".join(found)


def _values(value: Any, path: str) -> list[Any]:
    """Values at a path below a value, such as ``[].content``."""
    if is_missing(value):
        return []
    if not path:
        return [value]
    if path.startswith("[]"):
        elements = value.tolist() if hasattr(value, "tolist") else value
        return (
            [found for element in elements for found in _values(element, path[2:])] if isinstance(elements, (list, tuple)) else []
        )
    name = re.split(r"[.\[]", path[1:], maxsplit=1)[0]
    return _values(value.get(name), path[1 + len(name) :]) if isinstance(value, Mapping) else []


def _objects(lists: Mapping[str, Sequence[Any]], fields: Sequence[str]) -> list[str] | None:
    """For each row an object of its fields, as JSON; none if no fields are asked for."""
    if not fields:
        return None
    rows = zip(*(map(_value, lists[field]) for field in fields), strict=True)
    return [json.dumps(dict(zip(fields, row, strict=True)), ensure_ascii=False, default=_plain) for row in rows]


def _plain(value: Any) -> Any:
    """A value that JSON does not have, as one that it has: an array as a list, and all else as it is written."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _text(row: int, text: Any, columns: dict[str, Any]) -> str | None:
    column = columns["text"]
    if text is None or isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if is_missing(text):
        return None
    if is_tokens(text):
        if columns["tokens"]:
            return " ".join(word for token in text if (word := BLANK.join(str(token).split(" "))))
        raise ColumnError(
            f"row {row} of '{column}' is a list of tokens: give shingle=\"token:5\" to compare runs of five tokens as they are",
            column=column,
            columns=[],
            row=row,
        )
    raise ColumnError(
        f"row {row} of '{column}' has the type {type(text).__name__}, and texts are needed",
        column=column,
        columns=[],
        row=row,
    )


def is_tokens(value: Any) -> bool:
    """True if this is a list of texts or of numbers."""
    is_list = isinstance(value, (list, tuple)) or (hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1)
    return is_list and all(isinstance(token, str) or hasattr(token, "__index__") for token in value)


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls NA and NaT."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")


def _value(value: Any) -> Any:
    if is_missing(value):
        return None
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, Mapping)


def as_list(column: Any) -> list[Any]:
    """The values of a column of any library."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            values: list[Any] = getattr(column, method)()
            return values
    return list(column)


def check_table(data: Mapping[Any, Any], name: str) -> int:
    """The number of rows of a dict, whose values are columns of one length."""
    if any(isinstance(column, (str, bytes)) or column is None or not _is_column(column) for column in data.values()):
        raise OptionError(
            f'{name}= is a dict, and a dict is a table: its values must be columns, as in {{"text": ["...", "..."]}}; '
            "of a dict of texts, give list(data.values())",
            option=name,
            kind="wrong_type",
        )
    lengths = {key: len(column) for key, column in data.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        raise OptionError(f"the columns of {name}= must have one length: {shown}", option=name, kind="out_of_range")
    return next(iter(lengths.values()), 0)
