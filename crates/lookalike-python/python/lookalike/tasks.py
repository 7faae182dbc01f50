"""``dedup`` in tasks: stages that share nothing but files, for several processes, a task array, or a cluster.

The result is that of ``lookalike dedup``, byte for byte. A run goes on wherever it was ended: call it again.

>>> import pathlib, tempfile
>>> from lookalike import tasks
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "news.jsonl").write_text('{"text":"the storm hit the coast"}\\n{"text":"The storm hit the coast!"}\\n')
>>> summary = tasks.run(folder / "news.jsonl", folder / "clean", folder / "work", processes=1)
>>> summary["found"]["removed_count"]
1

From a shell::

    python -m lookalike.tasks plan crawl/*.warc.gz -o clean --work work --threshold 0.8
    python -m lookalike.tasks run --stage S1 --part 7/64 --work work
    python -m lookalike.tasks run crawl/*.warc.gz -o clean --work work --threshold 0.8 --processes 8
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

from . import _native
from ._arguments import as_path, plain
from ._errors import LookalikeError
from ._files import Inputs, Summary, dedup_files
from ._request import More, StrPath, paths

__all__ = ["STAGES", "accept", "estimate", "missing", "plan", "run", "stage", "task", "units"]

#: The stages of a run, in order.
STAGES: tuple[str, ...] = tuple(_native.task_stages())

#: Stages with a task per unit of input, per batch, or per file; the others have one task.
PARALLEL = frozenset({"S1", "S6", "S7", "S8"})

#: Bytes of input that an estimate reads.
SAMPLE_BYTES = 64 << 20

#: How often a process that was killed is started again.
_ATTEMPTS = 3

_open: dict[tuple[str, int], _native.Staged] = {}


def plan(
    inputs: Inputs,
    output: StrPath | None,
    work: StrPath,
    *,
    unit_bytes: int | None = None,
    batch_bytes: int | None = None,
    **options: Any,
) -> None:
    """Writes the plan of a run to the folder ``work``, which every task reads.

    :param inputs: files, folders, patterns and addresses, as for :func:`lookalike.dedup_files`.
    :param output: the folder to write to; None for ``dry_run=True`` without one.
    :param work: a folder that all tasks reach under the same name.
    :param unit_bytes: about how many bytes of input a task reads. Default: 64 MiB.
    :param batch_bytes: about how many bytes of texts that share buckets a task decides. Default: 64 MiB.
    :param options: the options of :func:`lookalike.dedup_files`.
    """
    given = {name: _plain(value) for name, value in options.items() if value is not None}
    given["inputs"] = paths(inputs)
    if "against" in given:
        given["against"] = paths(given["against"], "against")
    if output is not None:
        given["output"] = as_path(output, "output")
    folder = as_path(work, "work")
    _native.plan_tasks(given, folder, unit_bytes, batch_bytes)
    # The folder may have had the plan of another run, which somebody removed.
    for key in [key for key in _open if key[0] == os.path.abspath(folder)]:
        del _open[key]


def units(work: StrPath, stage: str) -> int:
    """The number of tasks of a stage; that of S7 is known after S5.

    :param work: the folder of :func:`plan`.
    :param stage: the name of the stage, one of ``STAGES``.
    """
    return _staged(work).units(stage)


def missing(work: StrPath, stage: str) -> list[int]:
    """The tasks of a stage that have no accepted result yet.

    :param work: the folder of :func:`plan`.
    :param stage: the name of the stage, one of ``STAGES``.
    """
    return _staged(work).missing(stage)


def task(work: StrPath, stage: str, unit: int, *, attempt: int = 0, threads: int = 1) -> dict[str, Any]:
    """Does one task, and returns its row: the files it wrote, and counts. They count once the row is accepted.

    :param work: the folder of :func:`plan`.
    :param stage: the name of the stage, one of ``STAGES``.
    :param unit: which task, counted from 0.
    :param attempt: a number that no other attempt at this task has, so that two can run at once. Default: 0.
    :param threads: number of threads. Default: 1.
    """
    row: dict[str, Any] = json.loads(_staged(work, threads).task(stage, unit, attempt))
    return row


def accept(work: StrPath, rows: Iterable[Mapping[str, Any]]) -> None:
    """Makes the results of tasks count: of several attempts at a task, the one whose row was accepted last.

    :param work: the folder of :func:`plan`.
    :param rows: what :func:`task` returned, from any process.
    """
    staged = _staged(work)
    for row in rows:
        staged.accept(json.dumps(row))


def stage(work: StrPath, stage: str, part: int = 0, parts: int = 1, *, threads: int = 1) -> list[dict[str, Any]]:
    """Does the tasks of a stage that have no result yet, and accepts their rows: of several parts, those of one.

    :param work: the folder of :func:`plan`.
    :param stage: the name of the stage, one of ``STAGES``.
    :param part: which part, counted from 0. Default: 0.
    :param parts: number of parts that the tasks are divided into. Default: 1.
    :param threads: number of threads. Default: 1.
    """
    if not 0 <= part < parts:
        raise LookalikeError(f"part must be from 0 to {parts - 1}, not {part}: parts are counted from 0")
    rows: list[dict[str, Any]] = json.loads(_staged(work, threads).part(stage, part, parts))
    return rows


def large_family(work: StrPath, most_bytes: int | None = None) -> str | None:
    """Describes the largest family if it has more bytes than a batch, or than ``most_bytes``. Known after S5.

    One task of S7 decides all of it.
    """
    folder = Path(as_path(work, "work"))
    row, sizes = (json.loads((folder / name).read_text(encoding="utf-8")) for name in ("S5/000000.json", "plan.json"))
    family = row["largest_family"]
    if family["bytes"] <= (sizes["sizes"]["batch_bytes"] if most_bytes is None else most_bytes):
        return None
    return (
        f"the largest family has {family['documents']:,} texts with {_size(family['bytes'])}, joined by {family['buckets']:,} "
        "buckets: one task decides all of them. A higher threshold or longer shingles make families smaller"
    )


def estimate(work: StrPath, *, sample_bytes: int = SAMPLE_BYTES) -> dict[str, int]:
    """Estimates what a planned run needs, from a sample of its units.

    :param work: the folder of :func:`plan`.
    :param sample_bytes: bytes of input to read. Default: 67,108,864.
    """
    needs: dict[str, int] = json.loads(_staged(work, os.cpu_count() or 1).estimate(sample_bytes))
    return needs


def run(
    inputs: Inputs,
    output: StrPath,
    work: StrPath,
    *,
    processes: int | None = None,
    unit_bytes: int | None = None,
    batch_bytes: int | None = None,
    **options: Any,
) -> Summary:
    """Runs all stages by processes on this machine. A run that was ended goes on.

    :param inputs: as for :func:`plan`.
    :param output: as for :func:`plan`.
    :param work: as for :func:`plan`.
    :param processes: number of processes. Default: one per core.
    :param unit_bytes: as for :func:`plan`. Default: 64 MiB.
    :param batch_bytes: as for :func:`plan`. Default: 64 MiB.
    :param options: as for :func:`plan`.
    """
    plan(inputs, output, work, unit_bytes=unit_bytes, batch_bytes=batch_bytes, **options)
    count = max(1, processes or os.cpu_count() or 1)
    for name in STAGES:
        if name in PARALLEL and count > 1 and len(missing(work, name)) > 1:
            _run_processes(work, name, count)
        else:
            stage(work, name, threads=count)
        if name == "S5" and (large := large_family(work)) is not None:
            warnings.warn(large, RuntimeWarning, stacklevel=2)
    return Summary(json.loads((Path(as_path(output, "output")) / "summary.json").read_text(encoding="utf-8")))


def _run_processes(work: StrPath, name: str, count: int) -> None:
    """Runs the parts of a stage. Each leaves what it has done, so that another attempt does the rest."""
    for attempt in range(_ATTEMPTS):
        command = [sys.executable, "-m", "lookalike.tasks", "run", "--work", as_path(work, "work"), "--stage", name]
        running = [
            subprocess.Popen(
                [*command, "--part", f"{part}/{count}"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            for part in range(count)
        ]
        errors = []
        try:
            for process in running:
                _, said = process.communicate()
                if process.returncode != 0:
                    errors.append((process.returncode, said.strip()))
        finally:
            for process in running:
                process.kill()
        if not errors:
            return
        # A process that was killed, for example for lack of memory, is started again; one that says why is not.
        reason = next((said for code, said in errors if code > 0), None)
        if reason is not None or attempt == _ATTEMPTS - 1:
            raise LookalikeError(reason or f"a process of stage {name} was ended by signal {-errors[0][0]}")


def _staged(work: StrPath, threads: int = 1) -> _native.Staged:
    """The plan of a work folder, opened once."""
    key = (os.path.abspath(as_path(work, "work")), threads)
    if key not in _open:
        _open[key] = _native.Staged(as_path(work, "work"), threads)
    return _open[key]


def _plain(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else plain(value)


def _kind(hint: Any) -> str:
    """What an option takes on the command line: nothing, a number, several texts, or one."""
    written = str(hint)
    if "Iterable" in written and "Literal" not in written:
        return "several"
    if written in ("<class 'bool'>", "bool | None"):
        return "flag"
    if written.replace(" | None", "") in ("<class 'float'>", "<class 'int'>", "float", "int", "typing.Literal[64, 128]"):
        return "number"
    return "text"


def _number(written: str) -> float | int:
    try:
        return int(written)
    except ValueError:
        return float(written)


#: Options of ``dedup_files`` that a run in tasks has its own words for, or none.
_OWN = frozenset({"inputs", "output", "work", "resume", "progress", "return", "more", "report", "no_report", "report_texts"})


def add_options(parser: argparse._ArgumentGroup) -> None:
    """The options of ``lookalike dedup``, by the same names."""
    hints = {**get_type_hints(dedup_files), **get_type_hints(More)}
    for name, hint in sorted(hints.items()):
        if name in _OWN:
            continue
        flag, kind = "--" + name.replace("_", "-"), _kind(hint)
        if kind == "flag":
            parser.add_argument(flag, dest=name, action="store_const", const=True)
        elif kind == "number":
            parser.add_argument(flag, dest=name, type=_number)
        elif kind == "several" and name != "fold":
            parser.add_argument(flag, dest=name, action="append")
        else:
            parser.add_argument(flag, dest=name)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lookalike.tasks", description="Remove near-duplicates in tasks.")
    jobs = parser.add_subparsers(dest="job", required=True)
    whats = {
        "plan": "write the plan of a run, and say what it needs",
        "run": "run all stages by processes, or a part of one stage",
    }
    for name, what in whats.items():
        job = jobs.add_parser(name, help=what, description=what, allow_abbrev=False)
        job.add_argument("inputs", nargs="+" if name == "plan" else "*", metavar="INPUT")
        job.add_argument("-o", "--output", required=name == "plan", metavar="FOLDER")
        job.add_argument("--work", required=True, metavar="FOLDER")
        job.add_argument("--unit-bytes", type=int, metavar="BYTES")
        job.add_argument("--batch-bytes", type=int, metavar="BYTES")
        if name == "run":
            job.add_argument("--processes", type=int, metavar="N")
        else:
            job.add_argument("--sample-bytes", type=int, default=SAMPLE_BYTES, metavar="BYTES")
        if name == "run":
            one = job.add_argument_group("one stage of a run that was planned, instead of INPUT and everything else")
            one.add_argument("--stage", choices=STAGES, help="do the tasks of this stage that have no result yet")
            one.add_argument("--part", metavar="I/N", help="which of N parts of them, counted from 0 [default: 0/1]")
        add_options(job.add_argument_group("options of lookalike dedup"))
    return parser


def _size(count: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count = count / 1000  # type: ignore[assignment]
    return f"{count:,.1f} TB"


def _needs(work: str, sample_bytes: int) -> str:
    needs = estimate(work, sample_bytes=sample_bytes)
    part = f"{needs['sampled_unit_count']:,} of {needs['unit_count']:,} units were read"
    family = f"{needs['largest_family']:,} texts, {_size(needs['largest_family_bytes'])}"
    rows = [
        ("input", f"{_size(needs['input_bytes'])}, about {needs['document_count']:,} documents ({part})"),
        ("tasks", f"S1 and S6: {needs['unit_count']:,} each; S7: about {max(1, needs['batch_count']):,}; S8: one per file"),
        ("largest family", f"{family}, joined by {needs['largest_family_bucket_count']:,} buckets of the sample: one task of S7"),
        ("memory", f"S1, S6, S8: {_size(needs['reading_memory_bytes'])} per task; S7: {_size(needs['resolving_memory_bytes'])}"),
        ("memory once", f"S2 to S5 and decide: {_size(needs['driver_memory_bytes'])}"),
        ("work folder", f"{_size(needs['work_bytes'])}, and the output once more if it is on another disk"),
    ]
    return "\n".join(f"{name:<15} {what}" for name, what in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    given = vars(_parser().parse_args(arguments))
    job, work = given.pop("job"), given.pop("work")
    options = {name: value for name, value in given.items() if value is not None and value != []}
    try:
        if "stage" in options:
            _run_stage(work, options.pop("stage"), **options)
            return 0
        sample_bytes = options.pop("sample_bytes", SAMPLE_BYTES)
        if lacking := next((flag for name, flag in (("inputs", "INPUT"), ("output", "-o")) if name not in options), None):
            raise LookalikeError(f"{lacking} is missing: give it, or --stage for one stage of a run that was planned")
        if "part" in options:
            raise LookalikeError("--part needs --stage")
        if job == "plan":
            plan(options.pop("inputs"), options.pop("output"), work, **options)
            print(_needs(work, sample_bytes))
        else:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                found = run(options.pop("inputs"), options.pop("output"), work, **options)["found"]
            print(f"{found['kept_count']:,} documents kept, {found['removed_count']:,} removed")
    except LookalikeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _run_stage(work: str, name: str, part: str = "0/1", threads: int = 1, **others: Any) -> None:
    """Does a part of a stage. The plan has everything else."""
    if others:
        raise LookalikeError(f"{_flag(next(iter(others)))} is in the plan already: leave it out with --stage")
    number, _, parts = part.partition("/")
    if not (number.isdecimal() and parts.isdecimal()):
        raise LookalikeError(f"--part must be two numbers such as 7/64, not {part}")
    rows = stage(work, name, int(number), int(parts), threads=threads)
    print(f"{name}: {len(rows)} tasks done")
    if name == "S5" and rows and (large := large_family(work)) is not None:
        print(f"warning: {large}", file=sys.stderr)


def _flag(name: str) -> str:
    """An argument as it is typed."""
    return "INPUT" if name == "inputs" else "--" + name.replace("_", "-")


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
