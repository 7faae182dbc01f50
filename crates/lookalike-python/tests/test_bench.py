"""The numbers of the benchmarks are counted as their pages define them."""

from __future__ import annotations

import sys

import pytest
from conftest import ROOT


def test_a_row_is_lost_if_no_near_duplicate_of_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "bench" / "peers"), *sys.path])
    import judged  # type: ignore[import-not-found]

    chain = {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert judged.lost({1}, chain) == 0
    # 2 has a near-duplicate, but that is removed as well.
    assert judged.lost({1, 2}, chain) == 1
    assert judged.lost({0, 1, 2, 7}, chain) == 4
