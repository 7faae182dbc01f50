"""Every example is run: of the pages, of the docstrings, and of the notebook."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shutil
from pathlib import Path

import lookalike
import pytest
from conftest import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "python.md",
    ROOT / "docs" / "python-from-others.md",
    ROOT / "docs" / "tasks.md",
    ROOT / "crates" / "lookalike-python" / "README.md",
]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_examples_of_a_page_hold(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "examples" / "customers.csv", tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


MODULES = [module.name for module in pkgutil.iter_modules(lookalike.__path__) if module.name != "_native"]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_the_examples_of_docstrings_hold(name: str) -> None:
    module = importlib.import_module(f"lookalike.{name}" if name else "lookalike")
    assert doctest.testmod(module).failed == 0


def test_every_public_function_has_a_docstring() -> None:
    for name in lookalike.__all__:
        if not name.startswith("__") and name != "Data":
            assert getattr(lookalike, name).__doc__, name


def test_the_notebook_runs() -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    path = ROOT / "examples" / "notebook.ipynb"
    notebook = nbformat.read(path, as_version=4)
    # Cells of the file have no outputs: they would be of another day.
    assert all(not cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in shown)
