"""A Spark standalone cluster on this machine, which listens on loopback only, and stops together with its tests."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import pyspark

HOME = Path(pyspark.__file__).parent
# What a worker and an executor may use: a machine for tests has little memory.
WORKER_MEMORY = "1g"
EXECUTOR_MEMORY = "600m"
START_SECONDS = 120


def missing() -> str | None:
    """What a cluster needs and this machine does not have."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Java 17 is not installed: install openjdk-17-jre-headless"
    return None


class Process:
    """One Java process and everything that it starts."""

    def __init__(self, name: str, arguments: list[str], folder: Path, python: str, memory: str = "256m") -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        environment = {
            **os.environ,
            "SPARK_HOME": str(HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": python,
            "SPARK_LOCAL_DIRS": str(folder / "local"),
            # Small heaps that grow slowly: several of these processes share the machine with the tests.
            "SPARK_DAEMON_MEMORY": memory,
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        }
        # No package of this project on the workers, also not by accident.
        environment.pop("PYTHONPATH", None)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                arguments,
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )

    def wait_for(self, pattern: str) -> str:
        """Waits for a line of the log, and returns the first group of the pattern."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            found = re.search(pattern, self.log.read_text(errors="replace"))
            if found is not None:
                return found.group(1) if found.groups() else found.group()
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"{self.name} did not start:\n{self.log.read_text(errors='replace')[-4000:]}")

    def kill(self) -> None:
        """Ends the process and its children with SIGKILL, as a failing machine would."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Cluster:
    """A master and workers of one core each."""

    def __init__(self, folder: Path, workers: int = 2, python: str = sys.executable) -> None:
        self.folder = folder
        self.python = python
        folder.mkdir(parents=True, exist_ok=True)
        self._processes: list[Process] = []
        self.workers: list[Process] = []
        try:
            master = self._start("master", "org.apache.spark.deploy.master.Master", ["--port", "0", "--webui-port", "0"])
            self.address = master.wait_for(r"Starting Spark master at (spark://127\.0\.0\.1:\d+)")
            for _ in range(workers):
                self.add_worker(wait=False)
            self.wait_for_workers()
        except BaseException:
            self.stop()
            raise

    def add_worker(self, wait: bool = True) -> Process:
        """Starts one more worker."""
        number = len(self.workers) + 1
        sizes = ["--cores", "1", "--memory", WORKER_MEMORY, "--port", "0", "--webui-port", "0"]
        place = ["--work-dir", str(self.folder / f"worker-{number}"), self.address]
        worker = self._start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", [*sizes, *place])
        self.workers.append(worker)
        if wait:
            worker.wait_for("Successfully registered with master")
        return worker

    def wait_for_workers(self) -> None:
        """Waits until all workers that run are registered."""
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.wait_for("Successfully registered with master")

    @contextlib.contextmanager
    def connect_server(self, configuration: dict[str, str]) -> Iterator[str]:
        """Runs a Spark Connect server whose executors are this cluster's, at the address that it returns."""
        port = free_port()
        binding = {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": str(port)}
        flags = [f"--conf={name}={value}" for name, value in {**configuration, **binding}.items()]
        server = "org.apache.spark.sql.connect.service.SparkConnectServer"
        command = [str(HOME / "bin" / "spark-submit"), "--master", self.address, "--class", server, *flags, "spark-internal"]
        process = Process("connect", command, self.folder, self.python, EXECUTOR_MEMORY)
        self._processes.append(process)
        try:
            _wait_until(lambda: _listens(port), process)
            yield f"sc://127.0.0.1:{port}"
        finally:
            process.kill()

    def _start(self, name: str, java_class: str, arguments: list[str]) -> Process:
        command = [str(HOME / "bin" / "spark-class"), java_class, "--host", "127.0.0.1", *arguments]
        process = Process(name, command, self.folder, self.python)
        self._processes.append(process)
        return process

    def stop(self) -> None:
        """Ends all processes."""
        for process in reversed(self._processes):
            process.kill()
        self._processes.clear()
        self.workers.clear()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def configuration(**more: str) -> dict[str, str]:
    """The settings of a session on such a cluster."""
    return {
        "spark.executor.memory": EXECUTOR_MEMORY,
        "spark.driver.memory": EXECUTOR_MEMORY,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "4",
        **more,
    }


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _wait_until(is_so: Callable[[], bool], process: Process) -> None:
    end = time.monotonic() + START_SECONDS
    while not is_so():
        if process.process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{process.name} did not start:\n{process.log.read_text(errors='replace')[-4000:]}")
        time.sleep(0.2)


def _end_with_parent() -> None:
    """Asks Linux to end this process with the one that started it, however that ends."""
    if sys.platform == "linux":
        end_with_parent, killed = 1, int(signal.SIGKILL)
        ctypes.CDLL(None).prctl(end_with_parent, killed, 0, 0, 0)
