"""``pack``: the installed package as one archive, for workers on which it is not installed."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from .._errors import InputError

# A fixed time, so that the same package gives the same archive.
TIME = (1980, 1, 1, 0, 0, 0)


def pack(output: str | os.PathLike[str], force: bool = False) -> Path:
    """Writes the package as an archive: pass it as ``archive=``, or to spark-submit as ``--archives FILE#lookalike``.

    :param output: the file, whose name ends in ``.zip``.
    :param force: replace the file if it exists. Default: False.
    """
    path = Path(os.fspath(output))
    if path.suffix != ".zip":
        raise InputError(f"{path} must end in .zip: Spark unpacks archives by their name", path=str(path))
    if path.exists() and not force:
        raise InputError(f"{path} exists: pass force=True to replace it", path=str(path))
    package = Path(__file__).resolve().parents[1]
    unfinished = path.with_name(f".{path.name}.part")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(package.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    entry = zipfile.ZipInfo(str(Path(package.name) / file.relative_to(package)), TIME)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    entry.external_attr = 0o644 << 16
                    archive.writestr(entry, file.read_bytes())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path
