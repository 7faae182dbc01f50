//! The simple join for comparison: single-threaded `AllPairs` (Bayardo, Ma, Srikant: Scaling up all pairs similarity
//! search, 2007), with the length filter. It shares no code with the product.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

/// Writes all pairs of the sets of a file, one per line, and returns their number.
pub(super) fn join(input: &Path, threshold: f64, output: &Path) -> Result<u64> {
    let text = std::fs::read_to_string(input).with_context(|| format!("cannot read {}", input.display()))?;
    let sets = ordered(&text);
    let file = File::create(output).with_context(|| format!("cannot write {}", output.display()))?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);

    let mut by_size: Vec<usize> = (0..sets.len()).filter(|set| !sets[*set].is_empty()).collect();
    by_size.sort_by_key(|set| sets[*set].len());
    let element_count = sets.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let mut index: Vec<Vec<usize>> = vec![Vec::new(); element_count];
    let mut shared_counts: Vec<u32> = vec![0; sets.len()];
    let mut met: Vec<usize> = Vec::new();
    let mut count = 0;
    for set in by_size {
        let elements = &sets[set];
        let size = elements.len();
        // Slightly less, so that rounding loses nothing; every candidate is measured.
        let least_size = (threshold * size as f64 - 1e-9).ceil() as usize;
        let prefix = &elements[..=size - least_size];
        for element in prefix {
            let others = &index[*element as usize];
            let start = others.partition_point(|other| sets[*other].len() < least_size);
            for other in &others[start..] {
                if shared_counts[*other] == 0 {
                    met.push(*other);
                }
                shared_counts[*other] += 1;
            }
        }
        for other in met.drain(..) {
            shared_counts[other] = 0;
            let shared = shared(elements, &sets[other], threshold);
            let similarity = shared as f64 / (size + sets[other].len() - shared) as f64;
            if similarity >= threshold {
                count += 1;
                let (left, right) = (set.min(other) + 1, set.max(other) + 1);
                writeln!(writer, "{left}\t{right}\t{similarity}\t{shared}")?;
            }
        }
        prefix.iter().for_each(|element| index[*element as usize].push(set));
    }
    writer.flush()?;
    Ok(count)
}

/// The sets of lines, as ranks of elements by the number of sets that have them, rarest first.
fn ordered(text: &str) -> Vec<Vec<u32>> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for line in text.lines() {
        let mut set: Vec<u32> = Vec::new();
        for element in line.split_ascii_whitespace() {
            let next = numbers.len() as u32;
            set.push(*numbers.entry(element).or_insert(next));
        }
        set.sort_unstable();
        set.dedup();
        sets.push(set);
    }
    let mut frequencies = vec![0_u32; numbers.len()];
    sets.iter().flatten().for_each(|element| frequencies[*element as usize] += 1);
    let mut by_frequency: Vec<u32> = (0..numbers.len() as u32).collect();
    by_frequency.sort_by_key(|element| frequencies[*element as usize]);
    let mut ranks = vec![0; numbers.len()];
    for (rank, element) in (0..).zip(by_frequency) {
        ranks[element as usize] = rank;
    }
    for set in &mut sets {
        set.iter_mut().for_each(|element| *element = ranks[*element as usize]);
        set.sort_unstable();
    }
    sets
}

/// Number of shared elements; stops early if it is certainly too small.
fn shared(left: &[u32], right: &[u32], threshold: f64) -> usize {
    let least = (threshold / (1.0 + threshold) * (left.len() + right.len()) as f64 - 1e-9).ceil() as usize;
    let (mut l, mut r, mut shared) = (0, 0, 0);
    while l < left.len() && r < right.len() {
        if left[l] == right[r] {
            (l, r, shared) = (l + 1, r + 1, shared + 1);
            continue;
        }
        (l, r) = if left[l] < right[r] { (l + 1, r) } else { (l, r + 1) };
        if shared + (left.len() - l).min(right.len() - r) < least {
            break;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let [input, output] = ["in.txt", "out.tsv"].map(|name| folder.path().join(name));
        std::fs::write(&input, "a b c\nb c a\n\na b\nx\n").unwrap();
        assert_eq!(join(&input, 0.6, &output).unwrap(), 3);
        let mut lines: Vec<String> = std::fs::read_to_string(&output).unwrap().lines().map(str::to_owned).collect();
        lines.sort_unstable();
        assert_eq!(lines, ["1\t2\t1\t3", "1\t4\t0.6666666666666666\t2", "2\t4\t0.6666666666666666\t2"]);
    }
}
