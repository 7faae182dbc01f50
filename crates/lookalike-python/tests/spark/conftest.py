"""Clusters for the tests, and the archive that their workers get."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cluster
import pytest

# Workers have the Python of the tests, which has pyarrow.
os.environ["PYSPARK_PYTHON"] = sys.executable


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts tests on Sail last: after a Connect session, a process cannot begin a classic one."""
    items.sort(key=lambda item: "sail" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def sail() -> Iterator[Any]:
    """A session on Sail, an engine in this process."""
    server_of = pytest.importorskip("pysail.spark")
    from pyspark.sql import SparkSession

    server = server_of.SparkConnectServer()
    server.start(background=True)
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").create()
    yield session
    session.stop()
    server.stop()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[cluster.Cluster]:
    """A master and two workers of one core each."""
    lacking = cluster.missing()
    if lacking is not None:
        pytest.fail(lacking)
    with cluster.Cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the package that is tested: nothing is installed on the workers."""
    from lookalike.spark import pack

    return pack(tmp_path_factory.mktemp("archive") / "lookalike.zip")
