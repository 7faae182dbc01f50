"""A job is a guest of its process: it stops when asked, leaves nothing behind, and minds neither threads nor forks."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import lookalike
import pytest
from conftest import texts_of


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program of its own."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), **environment},
        check=False,
    )


LONG = """
    import os, signal, threading, time
    import lookalike
    from conftest import texts_of
    texts = [f"{text} {at}" for at in range(60) for text in texts_of(at, 2000)]
"""


def test_ctrl_c_ends_a_job_within_half_a_second_and_leaves_nothing(tmp_path: Path) -> None:
    done = run(
        LONG
        + f"""
    import pathlib
    started = []
    def interrupt():
        while not started:
            time.sleep(0.01)
        time.sleep(0.2)
        started.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt, daemon=True).start()
    pathlib.Path({str(tmp_path)!r}, "in.txt").write_text("\\n".join(text.replace("\\n", " ") for text in texts))
    try:
        started.append(0)
        lookalike.dedup_files({str(tmp_path / "in.txt")!r}, {str(tmp_path / "out")!r}, split="line", threshold=0.3,
                              shingle="word:1", exact=True)
        print("not interrupted")
    except KeyboardInterrupt:
        print("after", time.monotonic() - started[1])
    """
    )
    assert done.stdout.startswith("after"), done.stdout + done.stderr
    assert float(done.stdout.split()[1]) < 0.5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt"]


def test_a_callback_that_raises_ends_the_job_with_what_it_raised() -> None:
    class Enough(Exception):
        pass

    calls: list[tuple[str, int, int | None, int]] = []

    def progress(stage: str, done: int, total: int | None, documents: int) -> None:
        calls.append((stage, done, total, documents))
        assert threading.current_thread() is threading.main_thread()
        raise Enough

    texts = [f"{text} {at}" for at in range(40) for text in texts_of(at, 1000)]
    with pytest.raises(Enough):
        lookalike.dedup(texts, threshold=0.3, shingle="word:1", exact=True, progress=progress)
    assert len(calls) == 1


def test_a_callback_is_told_stages_bytes_and_documents() -> None:
    calls: list[tuple[str, int, int | None, int]] = []
    texts = [f"{text} {at}" for at in range(40) for text in texts_of(at, 1000)]
    lookalike.dedup(texts, progress=lambda *told: calls.append(told))
    stages = [stage for stage, *_ in calls]
    assert stages and stages[0] == "sketch"
    assert all(done >= 0 and documents >= 0 for _, done, _, documents in calls)
    assert calls[0][2] == sum(len(text.encode()) for text in texts)


def test_two_jobs_at_once_do_not_mind_each_other(texts: list[str]) -> None:
    expected = lookalike.dedup(texts).kept
    results: list[list[int]] = []

    def work() -> None:
        for _ in range(5):
            results.append(lookalike.dedup(texts, threads=2).kept.to_list())

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 10


def test_the_lock_of_python_is_free_while_a_job_runs() -> None:
    texts = [f"{text} {at}" for at in range(40) for text in texts_of(at, 1000)]
    counted = 0
    is_done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not is_done.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    started = time.monotonic()
    lookalike.dedup(texts, threshold=0.3, shingle="word:1", exact=True)
    seconds = time.monotonic() - started
    is_done.set()
    counter.join()
    assert counted > 50 * seconds, (counted, seconds)


def kept_of(texts: list[str]) -> lookalike.Column[int]:
    return lookalike.dedup(texts).kept


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_job_runs_after_fork_and_under_spawn(texts: list[str], method: str) -> None:
    # The parent has had threads of its own: none of them is in the child.
    expected = lookalike.dedup(texts).kept
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(kept_of, [texts] * 4).get(timeout=60) == [expected] * 4


def mark(batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {"kept": lookalike.dedup(batch["text"]).mask.to_list()}


@pytest.mark.filterwarnings("ignore")
def test_a_job_runs_in_the_processes_of_datasets(texts: list[str]) -> None:
    datasets = pytest.importorskip("datasets")
    lookalike.dedup(texts)
    data = datasets.Dataset.from_dict({"text": texts})
    marked = data.map(mark, batched=True, batch_size=200, num_proc=2)
    assert marked["kept"][:200] == lookalike.dedup(texts[:200]).mask.to_list()


def test_a_thousand_jobs_leak_nothing() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    frame = pyarrow.table({"text": texts_of(1, 20)})

    def measure() -> tuple[int, int, int]:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), pages * resource.getpagesize()

    def some(count: int) -> None:
        for _ in range(count):
            result = lookalike.dedup(frame, threads=2)
            assert len(result.rows) == 20

    some(300)
    time.sleep(0.2)
    files, threads, memory = measure()
    some(1000)
    time.sleep(0.2)
    files_after, threads_after, memory_after = measure()
    assert files_after == files
    assert threads_after <= threads
    # The allocator may keep a little; a leak of one table per job would be several megabytes.
    assert memory_after - memory < 8_000_000, memory_after - memory


def test_memory_holds_for_a_stream_that_is_read_once() -> None:
    done = run(
        """
        import resource
        import lookalike, pyarrow
        from conftest import WORDS
        import random

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

        def batches():
            draw = random.Random(1)
            for at in range(300):
                texts = [" ".join(draw.choices(WORDS, k=1000)) + f" {at} {row}" for row in range(200)]
                yield pyarrow.record_batch({"text": texts})

        lookalike.dedup(["warm", "up"])
        before = peak()
        result = lookalike.dedup(batches(), memory="64M", threads=2)
        assert len(result) == 60000
        print(peak() - before, sum(1 for _ in result.kept))
        """
    )
    assert done.returncode == 0, done.stderr
    grown = int(done.stdout.split()[0])
    # 330 MB of text went through.
    assert grown < 96_000_000 + 400 * 60_000, grown


def test_a_signal_of_another_kind_runs_its_handler_during_a_job() -> None:
    done = run(
        LONG
        + """
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append(time.monotonic()))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    lookalike.dedup(texts, threshold=0.3, shingle="word:1", exact=True)
    ended = time.monotonic()
    print(len(seen), ended - seen[0] > 0.05)
    """
    )
    assert done.stdout.split() == ["1", "True"], done.stdout + done.stderr
