"""Output in notebooks: texts with differences marked, within the page, in the theme's colors; transient progress."""

from __future__ import annotations

import itertools
import re
import sys
import types
from pathlib import Path
from typing import Any, ClassVar

import lookalike
import pytest
from conftest import texts_of
from lookalike import _native, _progress

LEFT = "the storm hit the coast on Monday night and left a trail of damage in the harbor"
RIGHT = LEFT.replace("Monday", "Tuesday")


def marked(html: str) -> list[str]:
    return re.findall(r"<mark[^>]*>(.*?)</mark>", html, re.DOTALL)


def test_a_comparison_marks_what_differs_and_not_what_is_shared() -> None:
    page = lookalike.compare(LEFT, RIGHT, shingle="word:1")._repr_html_()
    assert [text.strip() for text in marked(page)] == ["Monday", "Tuesday"]
    assert "<del>" not in page
    copies = lookalike.compare(LEFT, LEFT)._repr_html_()
    assert marked(copies) == []


def test_a_long_run_that_both_have_is_shortened() -> None:
    shared = "word " * 500
    page = lookalike.compare(shared + "left", shared + "right", shingle="word:1")._repr_html_()
    assert "characters that both have" in page and len(page) < 3_000


def test_the_removals_to_check_first_show_both_texts_within_the_page() -> None:
    result = lookalike.dedup([LEFT, RIGHT + " <b>", "x" * 5_000 + " " + LEFT, "y"], shingle="word:1", threshold=0.6)
    least = result.least_similar()
    assert least["removed_text"][0] is not None and len(least) == 2
    page = least._repr_html_()
    assert "Monday" in page and "Tuesday" in page and "<b>" not in page
    assert any("Tuesday" in text or "Monday" in text for text in marked(page))
    # A word of any length is broken, and no column is wider than half of the page.
    assert page.count("overflow-wrap: anywhere; width: 50%") == 4 and page.count("table-layout: fixed") == 2
    assert page in result._repr_html_()
    assert '<div style="overflow-x: auto; max-width: 100%"><table>' in result.removed._repr_html_()


def test_charts_have_the_colors_of_the_page_around_them() -> None:
    texts = texts_of(7, 300)
    for page in (lookalike.dedup(texts)._repr_html_(), lookalike.tune(threshold=0.8)._repr_html_()):
        (svg,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        assert "currentColor" in page and "prefers-color-scheme" not in page and 'class="paper"' not in svg
        assert not re.search(r'(fill|stroke)="#|--ink:#', page)
    first, second = (lookalike.tune()._repr_html_() for _ in range(2))
    assert not set(re.findall(r' id="([^"]+)"', first)) & set(re.findall(r' id="([^"]+)"', second))


def labels(svg: str) -> list[tuple[float, float, float]]:
    """The line of every text, and from where to where it goes, in pixels."""
    found = []
    for attributes, text in re.findall(r"<text([^>]*)>([^<]*)</text>", svg):
        given: dict[str, str] = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        size = 11 if "small" in given.get("class", "") else 13
        # Digits and small letters of a sans-serif font are at most 0.58 of its size wide on average.
        width = 0.58 * size * len(text)
        if "rotate" in given.get("transform", ""):
            # The name of the axis at the left, which no other text is near.
            continue
        x = float(given["x"])
        anchor = given.get("text-anchor", "start")
        start = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        found.append((float(given["y"]), start, start + width))
    return found


@pytest.mark.parametrize("count", [1, 4, 10, 15, 20])
def test_labels_of_bars_do_not_overlap(count: int) -> None:
    bars = [(f"{at / 20:.2f}", 12_345 * (at % 2)) for at in range(20 - count, 20)]
    svg = _native.bars("title", "description", "removed", "similarity", bars, [("copies", 1_234_567)])
    lines: dict[float, list[tuple[float, float]]] = {}
    for y, start, end in labels(svg):
        lines.setdefault(y, []).append((start, end))
        assert start >= 0 and end <= 640
    assert sum(len(line) for line in lines.values()) > 2 * count
    for line in lines.values():
        line.sort()
        for (_, end), (start, _) in itertools.pairwise(line):
            assert end <= start


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.8, 0.95, 1.0])
def test_labels_of_a_curve_do_not_overlap(threshold: float) -> None:
    (svg,) = re.findall(r"<svg.*?</svg>", lookalike.tune(threshold=threshold, recall=0.9)._repr_html_(), re.DOTALL)
    found = labels(svg)
    assert len(found) > 5
    for (y, start, end), (other_y, other_start, other_end) in itertools.combinations(found, 2):
        assert abs(y - other_y) >= 10 or end <= other_start or other_end <= start
        assert start >= 0 and end <= 640


class FakeTqdm:
    """Stand-in for tqdm that records its calls."""

    made: ClassVar[list[FakeTqdm]] = []

    def __init__(self, **given: Any) -> None:
        self.given, self.n, self.is_closed = given, 0, False
        FakeTqdm.made.append(self)

    def update(self, count: int) -> None:
        self.n += count

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        self.postfix = text

    def close(self) -> None:
        self.is_closed = True


def test_a_class_of_tqdm_shows_the_progress_and_leaves_nothing() -> None:
    FakeTqdm.made.clear()
    with _progress.Watching(FakeTqdm) as told:  # type: ignore[arg-type]
        assert told is not None
        told("sketch", 10, 100, 3)
        told("sketch", 100, 100, 30)
        told("bucket", 0, None, 30)
    sketch, bucket = FakeTqdm.made
    assert (sketch.given["desc"], sketch.given["total"], sketch.given["unit"]) == ("lookalike: sketch", 100, "B")
    assert (sketch.n, sketch.postfix, bucket.given["unit"], bucket.n) == (100, "30 documents", " documents", 30)
    assert all(bar.is_closed and bar.given["leave"] is False and bar.given["unit_scale"] for bar in FakeTqdm.made)
    # However long a job takes, its bars are closed when it ends.
    lookalike.dedup(texts_of(7, 500), progress=FakeTqdm)  # type: ignore[arg-type]
    assert all(bar.is_closed for bar in FakeTqdm.made)


def test_tqdm_is_used_on_a_terminal_if_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.setattr(_progress, "is_notebook", lambda: False)
    assert isinstance(_progress.suitable_bar(), _progress.TqdmBar)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert isinstance(_progress.suitable_bar(), _progress.Line)


def test_nobody_is_shown_progress_who_disabled_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", types.SimpleNamespace(isatty=lambda: True, write=lambda _: 0, flush=lambda: None))
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    assert _progress.is_watched()
    monkeypatch.setenv("TQDM_DISABLE", "1")
    assert not _progress.is_watched()


def test_nothing_of_the_progress_is_left_in_a_saved_notebook(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cell = nbformat.v4.new_code_cell(
        "from lookalike import _progress\n"
        "_progress.PATIENCE_SECONDS = 0\n"
        "with _progress.Watching(None) as told:\n"
        "    told('sketch', 1, 2, 10)\n"
        "    told('sketch', 2, 2, 20)\n"
        "assert isinstance(_progress.suitable_bar(), _progress.Notebook)\n"
        "print('done')"
    )
    notebook = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    (cell,) = notebook.cells
    assert "lookalike" not in str(cell.outputs)
    shown = [output for output in cell.outputs if output.get("text", "") or output.get("data")]
    assert [output.text for output in shown] == ["done\n"]
