"""Progress for whoever watches, and notes for whoever reads logs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from ._request import Progress

Told = Callable[[str, int, "int | None", int], object]

# Who waits for less than this is not told anything.
PATIENCE_SECONDS = 2.0


class Bar:
    """One line that is written again and again."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.width = 0

    def __call__(self, stage: str, done: int, total: int | None, documents: int) -> None:
        if time.monotonic() - self.started < PATIENCE_SECONDS:
            return
        share = f" {min(done / total, 1):4.0%}" if total else ""
        counted = f" {documents:,} documents" if documents else ""
        line = f"lookalike: {stage}{share}{counted}"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class Watching:
    """What the native part calls, for as long as a job takes."""

    def __init__(self, progress: Progress) -> None:
        self.bar: Bar | None = None
        self.told: Told | None = None
        if callable(progress):
            self.told = progress
        elif progress or (progress is None and is_watched()):
            self.bar = Bar()
            self.told = self.bar

    def __enter__(self) -> Told | None:
        return self.told

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()


def is_watched() -> bool:
    """Whether a person looks at standard error: a terminal, or a notebook."""
    stream = sys.stderr
    if stream is None:
        return False
    return "ipykernel" in sys.modules or bool(getattr(stream, "isatty", lambda: False)())


def note(text: str, *values: Any) -> None:
    """A note to the logger ``lookalike``."""
    import logging

    logging.getLogger("lookalike").warning(text, *values)


def note_input(counts: dict[str, Any]) -> None:
    """What somebody should know of the input."""
    if counts["skipped_count"]:
        note("%d rows were skipped: summary['skipped'] has the first of them and why", counts["skipped_count"])
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
