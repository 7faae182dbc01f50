"""Building the package: what is missing is said in one line, and a wheel has the licenses and no paths of its machine."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=PACKAGE,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_without_rust_and_a_network_pip_says_in_one_line_what_is_missing(tmp_path: Path) -> None:
    pytest.importorskip("pip")
    done = run("-m", "pip", "install", "--no-deps", "--target", str(tmp_path), ".", PATH="/nowhere", PIP_NO_INDEX="1")
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert [line for line in said.splitlines() if "lookalike: " in line and "Rust" in line and "rustup" in line]
    assert "Traceback" not in said and "maturin" not in said


@pytest.mark.parametrize("hook", ["wheel", "sdist", "editable"])
def test_every_build_needs_rust(hook: str) -> None:
    code = f"import build_backend; build_backend.get_requires_for_build_{hook}()"
    done = run("-c", code, PATH="/nowhere")
    assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1 and "cargo" in done.stderr


def test_a_wheel_has_no_path_of_the_machine_and_right_checksums(tmp_path: Path) -> None:
    sys.path.insert(0, str(PACKAGE))
    import build_backend

    wheel, root = tmp_path / "a.whl", Path("/home/ann/work/lookalike")
    sbom = '{"bom-ref": "path+file:///home/ann/work/lookalike/crates/core#0.1.0", "x": "/home/ann/work/lookalike"}'
    record = "a/__init__.py,sha256=abc,1\na.dist-info/sboms/a.cyclonedx.json,sha256=old,1\na.dist-info/RECORD,,\n"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("a/__init__.py", "x")
        made.writestr("a.dist-info/sboms/a.cyclonedx.json", sbom)
        made.writestr("a.dist-info/RECORD", record)
    build_backend.without_build_folder(wheel, root)
    with zipfile.ZipFile(wheel) as after:
        content = after.read("a.dist-info/sboms/a.cyclonedx.json")
        lines = after.read("a.dist-info/RECORD").decode().splitlines()
        assert after.read("a/__init__.py") == b"x" and after.testzip() is None
    assert b"ann" not in content and b"path+file:///lookalike/crates/core#0.1.0" in content
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert lines[1] == f"a.dist-info/sboms/a.cyclonedx.json,sha256={digest},{len(content)}"
    assert lines[0] == "a/__init__.py,sha256=abc,1" and lines[2] == "a.dist-info/RECORD,,"


def test_the_license_texts_belong_to_the_package() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    texts = [(PACKAGE / name).read_text() for name in project["license-files"]]
    assert "Permission is hereby granted" in texts[0] and "Apache License" in texts[1]
