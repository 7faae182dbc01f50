//! Measures the speed of the exact join, compared with a plain single-threaded `AllPairs` (Bayardo et al. 2007) over
//! the same sets.
//!
//! ```text
//! cargo bench -p lookalike-core --bench join_speed -- [retail|baskets|documents|family]… [SETS.txt THRESHOLD]
//! ```
//!
//! `retail` is read from `shared/data` in a parent folder, if available; the others are generated with fixed seeds.

use std::path::Path;
use std::time::Instant;

use lookalike_core::decision::{Decision, References};
use lookalike_core::join::{Sets, independent_set, match_count, matches};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::similarity::Threshold;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [path, threshold] = &arguments[..]
        && let Ok(threshold) = threshold.parse()
    {
        return compare(path, &read(Path::new(path)).expect("sets to read"), &[threshold]);
    }
    let is_asked = |name: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == name);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    if is_asked("retail")
        && let Some(sets) = above.map(|folder| folder.join("shared/data/retail/sets.txt")).find_map(|path| read(&path))
    {
        compare("retail", &sets, &[0.5, 0.8]);
    }
    if is_asked("baskets") {
        compare("100,000 made baskets", &baskets(), &[0.5, 0.8]);
    }
    if is_asked("documents") {
        compare("45,000 made documents", &documents(), &[0.8]);
    }
    if is_asked("family") {
        let (sets, took) = timed(|| Sets::new(&family()));
        println!("a family of {}: made in {took}", sets.len());
        let criterion = Criterion::Jaccard(Threshold::new(0.8).expect("a threshold"));
        let (decisions, took) = timed(|| independent_set(&sets, criterion, References::default()));
        let kept = decisions.iter().filter(|decision| **decision == Decision::Kept).count();
        println!("  threshold 0.8\n    kept: {kept} in {took}");
    }
}

fn compare(name: &str, items: &[Vec<u64>], thresholds: &[f64]) {
    let (sets, took) = timed(|| Sets::new(items));
    println!("{name}: {} sets, {} shared features, made in {took}", sets.len(), sets.token_count());
    for &threshold in thresholds {
        let criterion = Criterion::Jaccard(Threshold::new(threshold).expect("a threshold"));
        let none = References::default();
        println!("  threshold {threshold}");
        let (plain, plain_took) = timed(|| all_pairs(&sets, threshold));
        println!("    plain, one thread: {plain} pairs in {plain_took}");
        let (count, took) = timed(|| match_count(&sets, criterion, none));
        println!("    counted: {count} pairs in {took}, {:.1} times as fast", plain_took.seconds / took.seconds);
        let (found, took) = timed(|| matches(&sets, criterion, none));
        println!(
            "    collected: {} pairs in {took}, {:.1} times as fast",
            found.len(),
            plain_took.seconds / took.seconds
        );
        assert_eq!((count, found.len()), (plain as u64, plain), "the plain join finds as many");
        let (decisions, took) = timed(|| independent_set(&sets, criterion, none));
        let kept = decisions.iter().filter(|decision| **decision == Decision::Kept).count();
        println!("    kept: {kept} in {took}");
    }
}

/// Runs `work` and reports its duration, and the processor time of all threads, which is more meaningful on a busy
/// machine.
fn timed<R>(work: impl FnOnce() -> R) -> (R, Took) {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    (result, Took { seconds: start.elapsed().as_secs_f64(), cpu_seconds: cpu_seconds() - cpu })
}

struct Took {
    seconds: f64,
    cpu_seconds: f64,
}

impl std::fmt::Display for Took {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} s ({:.2} s of processors)", self.seconds, self.cpu_seconds)
    }
}

/// Processor time of this process, on systems that report it like Linux.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn read(path: &Path) -> Option<Vec<Vec<u64>>> {
    let text = std::fs::read_to_string(path).ok()?;
    let elements = |line: &str| line.split_whitespace().map(|element| element.parse().expect("a number")).collect();
    Some(text.lines().map(elements).collect())
}

/// A small pseudorandom generator (Steele, Lea, Flood 2014) with a fixed sequence.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Uniform between 0 and 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A rank below `count`, approximately by Zipf's law.
    fn zipf(&mut self, count: f64) -> u64 {
        (count.powf(self.share()) - 1.0) as u64
    }
}

/// Modeled on the synthetic corpus T10I4D100K (Agrawal, Srikant 1994): baskets of about 10 of 870 elements, composed of
/// patterns of about 4, some of which are far more frequent than others.
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
            // Exponential weights, and patterns with missing elements.
            let pattern = &patterns[(-noise.share().ln() * 400.0) as usize % patterns.len()];
            basket.extend(pattern.iter().filter(|_| noise.share() < 0.7));
            basket.sort_unstable();
            basket.dedup();
        }
        basket
    };
    basket_sizes.iter().map(basket).collect()
}

/// Documents of about 1,000 features: most are unique to the document, others are phrases, a few of which are very
/// common; a fourth of the documents are copies of an earlier one with up to a third of their features changed.
fn documents() -> Vec<Vec<u64>> {
    let mut noise = Noise(3);
    let mut documents: Vec<Vec<u64>> = Vec::new();
    for at in 0..45_000_u32 {
        let is_copy = at > 0 && noise.share() < 0.25;
        let document = if is_copy {
            let from = (noise.share() * f64::from(at)) as usize;
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

/// 100,000 nearly equal documents of 300 features: five billion pairs, which cannot all be examined.
fn family() -> Vec<Vec<u64>> {
    let mut noise = Noise(4);
    let mut member =
        || (0..300).map(|feature| if noise.share() < 0.03 { noise.next() >> 44 } else { feature << 44 }).collect();
    (0..100_000).map(|_| member()).collect()
}

/// Number of pairs with this Jaccard similarity, found by an index of prefixes that grows in order of size, counts of
/// shared prefix tokens, and a merge of every set that shares any.
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
            let other_size = sets.size(other);
            let least = (threshold / (1.0 + threshold) * f64::from(size + other_size) - 1e-9).ceil() as u32;
            if let Some(shared) = merged(tokens, sets.tokens(other), least) {
                found += usize::from(f64::from(shared) / f64::from(size + other_size - shared) >= threshold);
            }
        }
        tokens[..prefix].iter().for_each(|token| index[*token as usize].push(item));
    }
    found
}

/// Number of shared tokens, if it can be `least` or more.
fn merged(left: &[u32], right: &[u32], least: u32) -> Option<u32> {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            (i, j, shared) = (i + 1, j + 1, shared + 1);
            continue;
        }
        (i, j) = if left[i] < right[j] { (i + 1, j) } else { (i, j + 1) };
        if shared + ((left.len() - i).min(right.len() - j) as u32) < least {
            return None;
        }
    }
    Some(shared)
}
