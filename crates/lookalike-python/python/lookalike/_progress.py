"""Progress for whoever watches, and notes for whoever reads logs."""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from ._arguments import wrong_type
from ._request import Progress

Told = Callable[[str, int, "int | None", int], object]

# Jobs that take less time than this show no progress.
PATIENCE_SECONDS = 2.0


class Bar(Protocol):
    """Progress display that leaves nothing behind."""

    def show(self, stage: str, done: int, total: int | None, documents: int) -> None:
        """Shows the progress of a job."""

    def close(self) -> None:
        """Removes what is shown."""


class Line:
    """One line of a terminal that is written again and again."""

    def __init__(self) -> None:
        self.width = 0

    def show(self, stage: str, done: int, total: int | None, documents: int) -> None:
        line = f"lookalike: {in_words(stage, done, total, documents)}"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class TqdmBar:
    """A bar of tqdm, which goes with others of the same program. It vanishes in the end."""

    def __init__(self, make: Any) -> None:
        self.make = make
        self.bar: Any = None
        self.stage = ""

    def show(self, stage: str, done: int, total: int | None, documents: int) -> None:
        if stage != self.stage:
            self.close()
            self.stage = stage
            unit = "B" if total else " documents"
            self.bar = self.make(total=total, desc=f"lookalike: {stage}", unit=unit, unit_scale=True, leave=False)
        if documents and total:
            self.bar.set_postfix_str(f"{documents:,} documents", refresh=False)
        self.bar.update((done if total else documents) - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class Notebook:
    """An output of a cell that is updated, and has no content in the end: a notebook that is saved shows nothing of it."""

    def __init__(self) -> None:
        self.handle: Any = None

    def show(self, stage: str, done: int, total: int | None, documents: int) -> None:
        display: Any = importlib.import_module("IPython.display").display
        words = {"text/plain": f"lookalike: {in_words(stage, done, total, documents)}"}
        if self.handle is None:
            self.handle = display(words, raw=True, display_id=True)
        else:
            self.handle.update(words, raw=True)

    def close(self) -> None:
        if self.handle is not None:
            self.handle.update({}, raw=True)


def in_words(stage: str, done: int, total: int | None, documents: int) -> str:
    """Describes the progress of a job in words."""
    share = f" {min(done / total, 1):4.0%}" if total else ""
    counted = f" {documents:,} documents" if documents else ""
    return f"{stage}{share}{counted}"


def suitable_bar() -> Bar:
    """The bar for where this program runs: an output of a notebook, a bar of tqdm if it is installed, or a line."""
    if is_notebook():
        return Notebook()
    try:
        from tqdm import tqdm  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        return Line()
    return TqdmBar(tqdm)


class Watching:
    """Context manager with the callback that the native part calls during a job."""

    def __init__(self, progress: Progress) -> None:
        self.started = time.monotonic()
        self.bar: Bar | None = None
        self.told: Told | None = None
        if isinstance(progress, type) and hasattr(progress, "set_postfix_str"):
            # A class of tqdm, such as tqdm.auto.tqdm.
            self.bar = TqdmBar(progress)
            self.told = self.bar.show
        elif callable(progress):
            self.told = progress
        elif progress is not None and not isinstance(progress, bool):
            raise wrong_type(
                "progress", "a function of stage, bytes done, bytes in all and documents, a class of tqdm, or False", progress
            )
        elif progress or (progress is None and is_watched()):
            self.told = self.show

    def show(self, stage: str, done: int, total: int | None, documents: int) -> None:
        """Shows the progress of a job, once it takes long."""
        if time.monotonic() - self.started < PATIENCE_SECONDS:
            return
        if self.bar is None:
            self.bar = suitable_bar()
        self.bar.show(stage, done, total, documents)

    def __enter__(self) -> Told | None:
        return self.told

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()


def is_notebook() -> bool:
    """True if this runs in a cell of a notebook."""
    if "ipykernel" not in sys.modules or "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def is_watched() -> bool:
    """True if a person is watching a terminal or a notebook, unless ``TQDM_DISABLE`` is set."""
    if os.environ.get("TQDM_DISABLE", "").lower() not in ("", "0", "false"):
        return False
    return is_notebook() or bool(getattr(sys.stderr, "isatty", lambda: False)())


def note(text: str, *values: Any) -> None:
    """A note to the logger ``lookalike``."""
    import logging

    logging.getLogger("lookalike").warning(text, *values)


def note_input(counts: dict[str, Any], where: str = "summary") -> None:
    """Notes what users should know about the input; ``where`` names the object with the details."""
    if counts["skipped_count"]:
        note("%d rows were skipped: %s['skipped'] has the first of them and why", counts["skipped_count"], where)
    if passed_over := counts.get("left_out", {}).get("not_documents", {}).get("first"):
        note("%s: beside data, and no documents: passed over", ", ".join(passed_over))
    for pattern in counts.get("left_out", {}).get("excluding_nothing", []):
        note("exclude=%r matches no file", pattern)
    for option in counts.get("without_effect", []):
        note("%s= has no effect on files of these formats", option)
    if counts["without_id_count"]:
        note("%d documents have no id", counts["without_id_count"])
    if counts["without_value_count"]:
        note("%d documents have no value in the column that keep= compares: they rank last", counts["without_value_count"])
