"""The build of the package: maturin's, which is asked for only where Rust is installed, and without paths of the machine.

``pip`` calls its functions (PEP 517). As a program, ``python build_backend.py WHEEL``, it removes the paths from a wheel.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

MATURIN = "maturin>=1.9.4,<2"
ROOT = Path(__file__).resolve().parents[2]
# Placeholder for the folder in which the package was built.
ANYWHERE = "/lookalike"

# A missing compiler is noticed before anything is downloaded, and said in one line.
NO_RUST = (
    "lookalike: this package is compiled, and the Rust toolchain (cargo) is not on the PATH: install Rust from "
    "https://rustup.rs, or install a wheel"
)
NO_MATURIN = f"lookalike: the build tool {MATURIN} is not installed and cannot be downloaded: pip install '{MATURIN}' first"


def _requirements() -> list[str]:
    if shutil.which("cargo") is None:
        sys.exit(NO_RUST)
    if _has_maturin():
        return []
    if os.environ.get("PIP_NO_INDEX"):
        sys.exit(NO_MATURIN)
    return [MATURIN]


def _has_maturin() -> bool:
    try:
        import maturin  # noqa: F401
    except ImportError:
        return False
    return shutil.which("maturin") is not None


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return _requirements()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return _requirements()


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return _requirements()


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    import maturin

    name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    without_build_folder(Path(wheel_directory) / name)
    return name


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    import maturin

    name: str = maturin.build_editable(wheel_directory, config_settings, metadata_directory)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    import maturin

    name: str = maturin.build_sdist(sdist_directory, config_settings)
    return name


def without_build_folder(wheel: Path, root: Path = ROOT) -> None:
    """Replaces the folder in which a wheel was built in its lists of components (SBOM)."""
    with zipfile.ZipFile(wheel) as before:
        entries = [(entry, before.read(entry)) for entry in before.infolist()]
    changed: dict[str, bytes] = {}
    for entry, content in entries:
        if "/sboms/" in entry.filename:
            text = content.decode().replace(root.as_uri(), f"file://{ANYWHERE}").replace(str(root), ANYWHERE)
            if text.encode() != content:
                changed[entry.filename] = text.encode()
    if not changed:
        return
    with zipfile.ZipFile(wheel, "w") as after:
        for entry, content in entries:
            if entry.filename.endswith(".dist-info/RECORD"):
                content = _recorded(content.decode(), changed).encode()
            after.writestr(entry, changed.get(entry.filename, content), entry.compress_type, 9)


def _recorded(record: str, changed: dict[str, bytes]) -> str:
    """The checksums of a wheel, with those of the changed files."""
    lines = []
    for line in record.splitlines():
        name = line.split(",")[0]
        if name in changed:
            digest = base64.urlsafe_b64encode(hashlib.sha256(changed[name]).digest()).rstrip(b"=").decode()
            line = f"{name},sha256={digest},{len(changed[name])}"
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        without_build_folder(Path(argument))
