//! Pairs of ids with a similarity, as in the output of `lookalike pairs` and in reference data.
//!
//! A pair has no direction: each tool chooses its own order.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Two ids, the smaller one first.
pub(crate) type Pair = (String, String);

/// The similarity of each pair.
pub(crate) type Pairs = HashMap<Pair, f64>;

/// Two ids as a pair.
pub(crate) fn pair(one: &str, other: &str) -> Pair {
    let (one, other) = if one <= other { (one, other) } else { (other, one) };
    (one.to_owned(), other.to_owned())
}

/// Recall or precision; 1 if the whole is empty.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Reads tab-separated values with a header: two ids, and their similarity, which is 1 if missing.
pub(crate) fn read(path: &Path) -> Result<Pairs> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| path.display().to_string())
}

fn parse(text: &str) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        let mut cells = line.split('\t');
        let (Some(one), Some(other)) = (cells.next(), cells.next()) else {
            anyhow::bail!("line {number}: two ids are wanted, not {line:?}");
        };
        let similarity = match cells.next() {
            Some(cell) => cell.parse().with_context(|| format!("line {number}: {cell:?} is not a similarity"))?,
            None => 1.0,
        };
        let before = pairs.insert(pair(one, other), similarity);
        ensure!(before.is_none(), "line {number}: {one} and {other} are there twice");
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_no_direction() {
        let pairs = parse("left_id\tright_id\tjaccard\tmore\nb\ta\t0.5\t1\n").unwrap();
        assert_eq!(pairs, Pairs::from([(pair("a", "b"), 0.5)]));
        assert!(parse("left_id\tright_id\na\tb\nb\ta\n").is_err());
    }

    #[test]
    fn without_a_similarity_a_pair_is_simply_true() {
        assert_eq!(parse("id1\tid2\na\tb\n").unwrap(), Pairs::from([(pair("a", "b"), 1.0)]));
    }

    #[test]
    fn a_line_that_is_no_pair_is_named() {
        assert!(parse("id1\tid2\na\n").unwrap_err().to_string().contains("line 2"));
        assert!(parse("id1\tid2\tjaccard\na\tb\tmuch\n").unwrap_err().to_string().contains("much"));
    }
}
