//! How fast the exact join is, beside a plain AllPairs in one thread (Bayardo et al. 2007) that reads the same sets.
//!
//! ```text
//! cargo run --release -p lookalike-core --example join_speed -- [retail|baskets|documents]… [SETS.txt THRESHOLD]
//! ```
//!
//! `retail` is read from `../shared/data`, if it is there; the other two are made, with fixed seeds.

use std::path::Path;
use std::time::Instant;

use lookalike_core::criterion::Criterion;
use lookalike_core::join::{Sets, independent_set, match_count, matches};
use lookalike_core::resolve::{Decision, References};
use lookalike_core::similarity::Threshold;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [path, threshold] = &arguments[..]
        && let Ok(threshold) = threshold.parse()
    {
        return compare(path, &read(Path::new(path)).expect("sets to read"), &[threshold]);
    }
    let is_asked = |name: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == name);
    let retail = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/retail/sets.txt");
    if is_asked("retail")
        && let Some(sets) = read(&retail)
    {
        compare("retail", &sets, &[0.5, 0.8]);
    }
    if is_asked("baskets") {
        compare("100,000 made baskets", &baskets(), &[0.5, 0.8]);
    }
    if is_asked("documents") {
        compare("45,000 made documents", &documents(), &[0.8]);
    }
}

fn compare(name: &str, items: &[Vec<u64>], thresholds: &[f64]) {
    let (sets, sets_seconds) = timed(|| Sets::new(items));
    println!("{name}: {} sets, {} shared features, made in {sets_seconds:.3} s", sets.len(), sets.token_count());
    for &threshold in thresholds {
        let criterion = Criterion::Jaccard(Threshold::new(threshold).expect("a threshold"));
        let none = References::default();
        let (count, count_seconds) = timed(|| match_count(&sets, criterion, none));
        let (found, seconds) = timed(|| matches(&sets, criterion, none));
        let (decisions, kept_seconds) = timed(|| independent_set(&sets, criterion, none));
        let kept = decisions.iter().filter(|decision| **decision == Decision::Kept).count();
        let (plain, plain_seconds) = timed(|| all_pairs(&sets, threshold));
        assert_eq!((count, found.len()), (plain as u64, plain), "the plain join finds as many");
        println!(
            "  {threshold}: {count} pairs counted in {count_seconds:.3} s, collected in {seconds:.3} s, \
             {kept} kept in {kept_seconds:.3} s; plain {plain_seconds:.3} s, {:.1} times as long",
            plain_seconds / seconds
        );
    }
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

fn read(path: &Path) -> Option<Vec<Vec<u64>>> {
    let text = std::fs::read_to_string(path).ok()?;
    let elements = |line: &str| line.split_whitespace().map(|element| element.parse().expect("a number")).collect();
    Some(text.lines().map(elements).collect())
}

/// A small generator of numbers that look random (Steele, Lea, Flood 2014), since the example must always be the same.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Evenly within 0 and 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A rank below `count`, small ones more often, about as in Zipf's law.
    fn zipf(&mut self, count: f64) -> u64 {
        (count.powf(self.share()) - 1.0) as u64
    }
}

/// After the made corpus T10I4D100K (Agrawal, Srikant 1994): baskets of about 10 of 870 elements, put together of
/// patterns of about 4, some of which are bought far more often than others.
fn baskets() -> Vec<Vec<u64>> {
    let mut noise = Noise(1);
    let mut sizes =
        |mean: f64| -> usize { (0..4).map(|_| noise.share() * mean / 2.0).sum::<f64>().round().max(1.0) as usize };
    let pattern_sizes: Vec<usize> = (0..2000).map(|_| sizes(4.0)).collect();
    let basket_sizes: Vec<usize> = (0..100_000).map(|_| sizes(10.0)).collect();
    let mut noise = Noise(2);
    let patterns: Vec<Vec<u64>> =
        pattern_sizes.iter().map(|size| (0..*size).map(|_| (noise.share() * 870.0) as u64).collect()).collect();
    let basket = |size: &usize| {
        let mut basket: Vec<u64> = Vec::new();
        while basket.len() < *size {
            // Exponential weights, and patterns of which a part is missing.
            let pattern = &patterns[(-noise.share().ln() * 400.0) as usize % patterns.len()];
            basket.extend(pattern.iter().filter(|_| noise.share() < 0.7));
            basket.sort_unstable();
            basket.dedup();
        }
        basket
    };
    basket_sizes.iter().map(basket).collect()
}

/// Documents of about 1,000 features: most are the document's own, others are phrases, few of which are everywhere;
/// a fourth of the documents are copies of an earlier one with up to a third of their features changed.
fn documents() -> Vec<Vec<u64>> {
    let mut noise = Noise(3);
    let mut documents: Vec<Vec<u64>> = Vec::new();
    for at in 0..45_000 {
        let is_copy = at > 0 && noise.share() < 0.25;
        let document = if is_copy {
            let from = (noise.share() * at as f64) as usize;
            let changed = noise.share() / 3.0;
            documents[from]
                .iter()
                .map(|feature| if noise.share() < changed { noise.next() } else { *feature })
                .collect()
        } else {
            let size = 300 + (noise.share() * 1400.0) as usize;
            (0..size).map(|_| if noise.share() < 0.6 { noise.next() } else { noise.zipf(5e6) }).collect()
        };
        documents.push(document);
    }
    documents
}

/// How many pairs have this Jaccard similarity: by an index of prefixes that grows as sets come by size, counts of
/// shared prefix tokens, and a merge of what has any.
fn all_pairs(sets: &Sets, threshold: f64) -> usize {
    let mut by_size: Vec<u32> = (0..sets.len() as u32).filter(|item| sets.size(*item) > 0).collect();
    by_size.sort_by_key(|item| sets.size(*item));
    let mut index: Vec<Vec<u32>> = vec![Vec::new(); sets.token_count()];
    let mut counts: Vec<u32> = vec![0; sets.len()];
    let mut met: Vec<u32> = Vec::new();
    let mut found = 0;
    for item in by_size {
        let (tokens, size) = (sets.tokens(item), sets.size(item));
        let lonely = size as usize - tokens.len();
        let least_size = (threshold * f64::from(size) - 1e-9).ceil();
        let prefix = (size as usize - least_size as usize + 1).saturating_sub(lonely).min(tokens.len());
        for token in &tokens[..prefix] {
            let postings = &index[*token as usize];
            let start = postings.partition_point(|other| f64::from(sets.size(*other)) < least_size);
            for other in &postings[start..] {
                if counts[*other as usize] == 0 {
                    met.push(*other);
                }
                counts[*other as usize] += 1;
            }
        }
        for other in met.drain(..) {
            counts[other as usize] = 0;
            let shared = merged(tokens, sets.tokens(other));
            let all = size + sets.size(other) - shared;
            found += usize::from(f64::from(shared) / f64::from(all) >= threshold);
        }
        tokens[..prefix].iter().for_each(|token| index[*token as usize].push(item));
    }
    found
}

fn merged(left: &[u32], right: &[u32]) -> u32 {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        shared += u32::from(left[i] == right[j]);
        (i, j) = (i + usize::from(left[i] <= right[j]), j + usize::from(right[j] <= left[i]));
    }
    shared
}
