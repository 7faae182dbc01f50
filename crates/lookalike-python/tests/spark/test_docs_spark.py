"""The page on Spark: its cluster on one machine is started, and deduplicates, by the commands that are shown."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from corpora import ROOT, by_command, tree

pytestmark = pytest.mark.long

SECTION = "## A cluster on your own machine"


def test_the_cluster_of_the_page_deduplicates(command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")
    found = re.search(rf"^{SECTION}$.*?^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    install, *commands = found.group(1).splitlines()
    assert install.startswith("pip install")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples" / "news", "examples/news")
    expected = by_command(command, Path("examples/news"))
    folder = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": os.pathsep.join([folder, os.environ["PATH"]])}
    # Master and worker run until the group is ended.
    shell = subprocess.Popen(["sh", "-e", "-c", "\n".join(commands)], env=environment, start_new_session=True)
    try:
        assert shell.wait(timeout=500) == 0
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
    assert tree(Path("clean")) == expected
