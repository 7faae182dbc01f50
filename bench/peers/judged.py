"""How an answer is judged where rows are numbers: the same definitions as in `xtask/src/bench/peers/judge.rs`."""


def lost(removed: set[int], near: set[tuple[int, int]]) -> int:
    """The removed rows of which no near-duplicate is kept; `near` has each pair in both directions."""
    return len(removed - {row for row, other in near if other not in removed})
