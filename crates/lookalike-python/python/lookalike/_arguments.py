"""Arguments of calls: what a wrong one is called here, and values as the native part takes them."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, TypeVar

from ._errors import ColumnError, LookalikeError, OptionError, UnknownOptionError

F = TypeVar("F", bound=Callable[..., Any])

# Names of the same options elsewhere: in datasketch, rensa, text-dedup, datatrove, splink, pandas and scikit-learn.
ELSEWHERE = {
    "slots": ("num_perm", "num_perms", "n_perm", "num_hashes", "permutations", "num_permutations"),
    "shingle": ("ngram", "ngrams", "n_gram", "n_grams", "ngram_size", "shingle_size", "shingles", "k", "tokenizer", "analyzer"),
    "threshold": (
        "jaccard_threshold",
        "similarity",
        "similarity_threshold",
        "sim_threshold",
        "min_similarity",
        "min_sim",
        "cutoff",
        "threshold_match_probability",
    ),
    "text": ("column", "text_column", "text_field", "text_key", "col", "field", "content", "subset", "on"),
    "id": ("id_column", "id_field", "idx", "index", "index_column", "unique_id", "unique_id_column_name", "doc_id"),
    "bands": ("b", "num_bands", "num_buckets", "n_bands"),
    "rows": ("r", "num_rows", "hashes_per_bucket", "rows_per_band", "n_rows"),
    "threads": ("n_jobs", "num_workers", "num_proc", "workers", "n_threads", "num_threads", "processes", "n_workers"),
    "progress": ("verbose", "show_progress", "show_progress_bar", "tqdm", "disable_tqdm", "callback"),
    "memory": ("max_memory", "memory_limit", "mem", "ram"),
    "key": ("seed", "random_state", "random_seed"),
    "fold": ("lowercase", "strip_accents", "normalize", "normalizer"),
    "recall": ("params", "weights", "target_recall"),
    "keep": ("keep_order", "priority", "prefer"),
    "top": ("n", "limit", "top_k", "topk", "topn", "max_results"),
    "output": ("output_dir", "output_folder", "out", "output_path"),
    "inputs": ("input", "path", "files", "input_folder"),
    "against": ("reference", "references", "other", "test"),
    "column": ("elements", "items", "list"),
}
HAS_KEYWORDS = 0x08
SHOWN_COLUMNS = 30

# The keyword arguments that the caller of the running function gave. Their values do not tell: a default may be given as well.
GIVEN: ContextVar[frozenset[str]] = ContextVar("GIVEN", default=frozenset())


def arguments(function: F) -> F:
    """Refuses arguments that do not exist with the name that was meant; and errors have no frames of this package."""
    from ._request import More

    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    keyword_only = frozenset(names[code.co_argcount :])
    known = frozenset(names) | (More.__optional_keys__ if code.co_flags & HAS_KEYWORDS else frozenset())

    @functools.wraps(function)
    def call(*values: Any, **keywords: Any) -> Any:
        unknown = next((name for name in keywords if name not in known), None)
        if unknown is not None:
            raise unknown_option(unknown, known - {"self", "cls"}, function.__name__)
        before = GIVEN.set(keyword_only & keywords.keys())
        try:
            return function(*values, **keywords)
        except LookalikeError as error:
            raise error.with_traceback(None) from None
        finally:
            GIVEN.reset(before)

    return call  # type: ignore[return-value]


def unknown_option(name: str, known: Iterable[str], function: str) -> UnknownOptionError:
    """An argument that does not exist, and the one that was meant."""
    options = sorted(known)
    meant = next((option for option, names in ELSEWHERE.items() if name.lower() in names and option in options), None)
    if meant is None:
        meant = similar(name, options)
    hint = f": did you mean {meant}=?" if meant else f": its arguments are {', '.join(options)}"
    return UnknownOptionError(f"{function}() has no argument {name}={hint}", option=name, kind="unknown_option")


def similar(name: str, names: Iterable[str]) -> str | None:
    """The name that was meant, if one is similar enough."""
    import difflib

    by_letters = {name.lower(): name for name in names}
    return next((by_letters[match] for match in difflib.get_close_matches(name.lower(), by_letters, n=1)), None)


def no_column(column: str, existing: Iterable[Any], argument: str | None = None) -> ColumnError:
    """A column that is not there, the argument that names it, and the column that was meant."""
    names = [str(name) for name in existing]
    meant = similar(column, names)
    more = f" and {len(names) - SHOWN_COLUMNS} more" if len(names) > SHOWN_COLUMNS else ""
    known = f"columns are {', '.join(names[:SHOWN_COLUMNS])}{more}"
    hint = "the data has no columns" if not names else f"the {known}" if meant is None else f"did you mean '{meant}'? The {known}"
    wanted = "" if argument is None else f" for {argument}="
    return ColumnError(f"there is no column '{column}'{wanted}: {hint}", column=column, columns=list(existing), option=argument)


def wrong_type(name: str, wanted: str, value: Any) -> OptionError:
    """An argument of a wrong type."""
    return OptionError(f"{name}= must be {wanted}, not {_shown(value)}", option=name, kind="wrong_type")


def _shown(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "…")
    return f"a value of the type {type(value).__name__}"


def plain(value: Any) -> Any:
    """A number of numpy as one of Python. A float of 32 bits is the number that it is written as."""
    if not (hasattr(value, "dtype") and hasattr(value, "item") and getattr(value, "ndim", None) == 0):
        return value
    number = value.item()
    return float(str(value)) if isinstance(number, float) and value.dtype.itemsize < 8 else number


def as_text(value: Any, name: str, what: str = "a text") -> str:
    """A text, with one replacement for each half of a surrogate pair, as in JSON."""
    if not isinstance(value, str):
        raise wrong_type(name, what, value)
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def as_id(value: Any, name: str = "id") -> str:
    """An id, which is a text, or a whole number as it is written."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise wrong_type(name, "an id: a text or a whole number", value)
    return as_text(str(value), name)


def as_count(value: Any, name: str, least: int = 0) -> int:
    """A whole number, also one of numpy."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise wrong_type(name, "a whole number", value)
    number = operator.index(value)
    if number < least:
        raise OptionError(f"{name}= must be at least {least}, not {number}", option=name, kind="out_of_range", value=number)
    return number


def as_flag(value: Any, name: str) -> bool:
    """True or False, also one of numpy."""
    flag = plain(value)
    if not isinstance(flag, bool):
        raise wrong_type(name, "True or False", value)
    return flag


def as_path(value: Any, name: str) -> str:
    """A path as a text."""
    if not isinstance(value, (str, os.PathLike)):
        raise wrong_type(name, "a path", value)
    path = os.fspath(value)
    if isinstance(path, bytes):
        raise wrong_type(name, "a path, as a text", value)
    if not path:
        raise wrong_type(name, "a path", path)
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise wrong_type(name, "a path that a file can have", value) from None
    return path


def as_column(value: Any, name: str) -> str:
    """The name of a column."""
    if not isinstance(value, str):
        raise wrong_type(name, "the name of a column, as a text", value)
    return value


def as_texts(value: Any, name: str, what: str) -> list[str]:
    """One text, or several."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable) or isinstance(value, (bytes, bytearray)):
        raise wrong_type(name, what, value)
    return [as_text(item, name, what) for item in value]
