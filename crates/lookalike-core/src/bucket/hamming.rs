//! Finds bit sketches that differ in a few bits, by sorted tables. (Manku, Jain, Das Sarma: Detecting near-duplicates
//! for web crawling, WWW 2007)
//!
//! Sketches are cut into more blocks than the number of bits that may differ; some blocks of a pair are then equal, and
//! each choice of that many blocks is a table sorted by them. Nothing within the distance is missed. Using all but a
//! few blocks as the key gives many tables with long keys, and fewer chance neighbors: the number of blocks is chosen
//! to minimize the total cost.
//!
//! A bucket of [`buckets`] is not the whole run of a key, in which a million sketches have some chance neighbors, but
//! the part of it that is chained together by the distance itself.

use rayon::prelude::*;
use rdst::{RadixKey, RadixSort};

use crate::hash::mix;
use crate::packed::Lists;

/// The bits of a sketch.
pub trait Bits: Copy + Eq + Ord + Send + Sync {
    /// Number of bits.
    const COUNT: u32;

    /// Number of bits in which two sketches differ.
    fn distance(self, other: Self) -> u32;

    /// Sixty-four bits starting at bit `from`, or fewer at the end.
    fn window(self, from: u32) -> u64;
}

impl Bits for u64 {
    const COUNT: u32 = 64;

    #[inline]
    fn distance(self, other: Self) -> u32 {
        (self ^ other).count_ones()
    }

    #[inline]
    fn window(self, from: u32) -> u64 {
        self >> from
    }
}

impl Bits for u128 {
    const COUNT: u32 = 128;

    #[inline]
    fn distance(self, other: Self) -> u32 {
        (self ^ other).count_ones()
    }

    #[inline]
    fn window(self, from: u32) -> u64 {
        (self >> from) as u64
    }
}

crate::word_enum! {
    /// Choice of tables to build.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Tables {
        /// As many tables as needed to miss nothing within the distance.
        #[default]
        Blocks,
        /// One for each band of sixteen bits: simple, and exact only for distances below the number of bands.
        Bands,
    }
}

/// The largest distance supported: beyond it, too many tables would be needed.
pub const MOST_DIFFERING: u32 = 16;

/// Maximum number of tables.
const MOST_TABLES: usize = 1000;

/// Cost of sorting an entry into a table, in comparisons of a pair.
const SORTING: f64 = 20.0;

/// Maximum number of comparisons per sketch in all tables while sketches are chained: half of a run on average, unless
/// many sketches in it are close. The rest of a run is then taken as one bucket, so that a corpus of one template does
/// not take quadratic time.
const MOST_CHAINING: usize = 1 << 14;

/// The minimum for one table.
const LEAST_CHAINING: usize = 64;

/// The blocks that form the key of a table: first bit and length.
type Key = Vec<(u32, u32)>;

/// The keys of all tables for `count` sketches.
fn keys<B: Bits>(count: usize, distance: u32, tables: Tables) -> Vec<Key> {
    match tables {
        Tables::Bands => (0..B::COUNT / 16).map(|band| vec![(band * 16, 16)]).collect(),
        Tables::Blocks => {
            let all = (distance + 1..=B::COUNT).map_while(|blocks| {
                let tables = choose(blocks, distance);
                (tables <= MOST_TABLES).then_some((blocks, tables))
            });
            let cost = |(blocks, tables): &(u32, usize)| {
                let key_bits = B::COUNT * (blocks - distance) / blocks;
                let by_chance = count as f64 * count as f64 / 2.0 / 2_f64.powi(key_bits as i32);
                *tables as f64 * (SORTING * count as f64 + by_chance)
            };
            let best = all.min_by(|left, right| cost(left).total_cmp(&cost(right)));
            best.map_or_else(Vec::new, |(blocks, _)| block_keys::<B>(blocks, blocks - distance))
        }
    }
}

fn choose(of: u32, count: u32) -> usize {
    (0..count.min(of - count)).fold(1_usize, |product, i| product.saturating_mul((of - i) as usize) / (i as usize + 1))
}

/// Every choice of `chosen` of `blocks` blocks of nearly equal length.
fn block_keys<B: Bits>(blocks: u32, chosen: u32) -> Vec<Key> {
    let start = |block: u32| B::COUNT * block / blocks;
    let block = |block: u32| (start(block), start(block + 1) - start(block));
    let mut keys: Vec<Key> = vec![Vec::new()];
    let mut lasts: Vec<u32> = vec![0];
    for left in (0..chosen).rev() {
        let (mut longer, mut ends) = (Vec::new(), Vec::new());
        for (key, first) in keys.iter().zip(&lasts) {
            for next in *first..blocks - left {
                longer.push(key.iter().copied().chain([block(next)]).collect());
                ends.push(next + 1);
            }
        }
        (keys, lasts) = (longer, ends);
    }
    keys
}

#[derive(Clone, Copy)]
struct Entry<B> {
    key: u64,
    bits: B,
    place: u32,
}

impl<B: Bits> RadixKey for Entry<B> {
    const LEVELS: usize = 8;

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.key >> (level * 8)) as u8
    }
}

/// The key of a sketch in one table. Keys longer than 64 bits are hashed, which may merge two keys but never splits
/// one.
#[inline]
fn key_of<B: Bits>(bits: B, key: &Key) -> u64 {
    let mut joined: u64 = 0;
    let mut filled = 0;
    for &(from, length) in key {
        let mut at = from;
        while at < from + length {
            let taken = (from + length - at).min(64);
            let block = bits.window(at) & (u64::MAX >> (64 - taken));
            if filled + taken > 64 {
                (joined, filled) = (mix(joined).wrapping_mul(3), 0);
            }
            joined = joined.rotate_left(taken % 64) ^ block;
            filled += taken;
            at += taken;
        }
    }
    joined
}

/// The sketches sorted by the key of one table.
fn table<B: Bits>(sketches: &[B], key: &Key) -> Vec<Entry<B>> {
    let mut entries: Vec<Entry<B>> =
        (0..).zip(sketches).map(|(place, bits)| Entry { key: key_of(*bits, key), bits: *bits, place }).collect();
    entries.radix_sort_unstable();
    entries
}

fn runs<B: Bits>(entries: &[Entry<B>]) -> impl Iterator<Item = &[Entry<B>]> {
    entries.chunk_by(|left, right| left.key == right.key).filter(|run| run.len() > 1)
}

/// Lists such that any two sketches within the distance share one: positions in `sketches`, sorted, two or more each.
pub fn buckets<B: Bits>(sketches: &[B], distance: u32, tables: Tables) -> Vec<Lists> {
    let keys = keys::<B>(sketches.len(), distance, tables);
    let chaining = (MOST_CHAINING / keys.len().max(1)).max(LEAST_CHAINING);
    let of_table = |key: &Key| {
        let mut lists = Lists::default();
        for run in runs(&table(sketches, key)) {
            chained(run, distance, chaining, &mut lists);
        }
        lists
    };
    keys.par_iter().map(of_table).collect()
}

/// Adds the chains of close sketches in a run of one key, with at most `chaining` comparisons per distinct sketch. The
/// remaining sketches form one list.
fn chained<B: Bits>(run: &[Entry<B>], distance: u32, chaining: usize, lists: &mut Lists) {
    let mut sorted: Vec<(B, u32)> = run.iter().map(|entry| (entry.bits, entry.place)).collect();
    sorted.sort_unstable();
    let different: Vec<&[(B, u32)]> = sorted.chunk_by(|left, right| left.0 == right.0).collect();
    // Sketches that are close are removed at once and not compared again: sketches that are all close to each other
    // cost almost nothing.
    let mut left: Vec<(B, u32)> = (0..).zip(&different).map(|(at, same)| (same[0].0, at)).collect();
    let mut comparisons = left.len().saturating_mul(chaining);
    let mut chain = Vec::new();
    while let Some(first) = left.pop() {
        chain.clear();
        chain.push(first);
        let mut at = 0;
        while at < chain.len() && !left.is_empty() {
            let Some(rest) = comparisons.checked_sub(left.len()) else {
                chain.append(&mut left);
                break;
            };
            comparisons = rest;
            let (bits, _) = chain[at];
            chain.extend(left.extract_if(.., |(other, _)| other.distance(bits) <= distance));
            at += 1;
        }
        let mut places: Vec<u32> =
            chain.iter().flat_map(|(_, at)| different[*at as usize]).map(|(_, place)| *place).collect();
        if places.len() > 1 {
            places.sort_unstable();
            lists.push(places);
        }
    }
}

/// Every pair of sketches within the distance, sorted: positions in `sketches`, the smaller first. Exact, by blocks.
pub fn pairs_within<B: Bits>(sketches: &[B], distance: u32) -> Vec<(u32, u32)> {
    let keys = keys::<B>(sketches.len(), distance, Tables::Blocks);
    let of_table = |(number, key): (usize, &Key)| {
        let mut found = Vec::new();
        for run in runs(&table(sketches, key)) {
            for (at, left) in run.iter().enumerate() {
                for right in &run[at + 1..] {
                    // Only in the first table in which the two share a key.
                    if left.bits.distance(right.bits) <= distance
                        && !keys[..number].iter().any(|key| key_of(left.bits, key) == key_of(right.bits, key))
                    {
                        found.push((left.place.min(right.place), left.place.max(right.place)));
                    }
                }
            }
        }
        found
    };
    let found: Vec<Vec<(u32, u32)>> = keys.par_iter().enumerate().map(of_table).collect();
    let mut found = found.concat();
    found.par_sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::*;

    /// Sketches, some of them a few bits from another.
    fn planted(count: u64, seed: u64) -> Vec<u64> {
        let mut sketches: Vec<u64> = Vec::new();
        for at in 0..count {
            let random = mix(seed.wrapping_add(at.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
            let near = random.is_multiple_of(3) && !sketches.is_empty();
            sketches.push(if near {
                let other = sketches[(random >> 8) as usize % sketches.len()];
                let flips = (0..random >> 56 & 7).map(|flip| 1 << (mix(random ^ flip) % 64));
                flips.fold(other, |bits, flip: u64| bits ^ flip)
            } else {
                random
            });
        }
        sketches
    }

    /// Every pair of positions below `count`, the first less than the second.
    fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..count).flat_map(move |left| (left + 1..count).map(move |right| (left, right)))
    }

    fn brute<B: Bits>(sketches: &[B], distance: u32) -> Vec<(u32, u32)> {
        pairs(sketches.len())
            .filter(|(left, right)| sketches[*left].distance(sketches[*right]) <= distance)
            .map(|(left, right)| (left as u32, right as u32))
            .collect()
    }

    /// Pairs that share a bucket and are within the distance.
    fn by_buckets<B: Bits>(sketches: &[B], distance: u32, tables: Tables) -> Vec<(u32, u32)> {
        let lists = buckets(sketches, distance, tables);
        let mut found: Vec<(u32, u32)> = lists
            .iter()
            .flat_map(Lists::iter)
            .flat_map(|list| pairs(list.len()).map(|(left, right)| (list[left], list[right])))
            .filter(|(left, right)| sketches[*left as usize].distance(sketches[*right as usize]) <= distance)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn nothing_within_the_distance_is_missed(seed in any::<u64>(), count in 0_u64..300, distance in 0_u32..9) {
            let narrow = planted(count, seed);
            prop_assert_eq!(pairs_within(&narrow, distance), brute(&narrow, distance));
            prop_assert_eq!(by_buckets(&narrow, distance, Tables::Blocks), brute(&narrow, distance));
            let wide: Vec<u128> = narrow.iter().map(|bits| u128::from(*bits) << 40 | u128::from(mix(*bits) & 1)).collect();
            prop_assert_eq!(pairs_within(&wide, distance), brute(&wide, distance));
        }

        #[test]
        fn four_bands_of_sixteen_bits_are_exact_up_to_three(seed in any::<u64>(), distance in 0_u32..4) {
            let sketches = planted(200, seed);
            prop_assert_eq!(by_buckets(&sketches, distance, Tables::Bands), brute(&sketches, distance));
        }
    }

    proptest! {
        #[test]
        fn nothing_is_missed_when_comparisons_run_out(
            seed in any::<u64>(), count in 0_u64..200, distance in 0_u32..9, chaining in 0_usize..50
        ) {
            let sketches = planted(count, seed);
            // All in one run.
            let run: Vec<Entry<u64>> =
                (0..).zip(&sketches).map(|(place, bits)| Entry { key: 0, bits: *bits, place }).collect();
            let mut lists = Lists::default();
            chained(&run, distance, chaining, &mut lists);
            let share = |left: usize, right: usize| {
                lists.iter().any(|list| list.contains(&(left as u32)) && list.contains(&(right as u32)))
            };
            for (left, right) in brute(&sketches, distance) {
                prop_assert!(share(left as usize, right as usize));
            }
        }
    }

    /// A sketch that counts its comparisons.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Counted(u64);

    static COMPARISONS: AtomicUsize = AtomicUsize::new(0);

    impl Bits for Counted {
        const COUNT: u32 = 64;

        fn distance(self, other: Self) -> u32 {
            COMPARISONS.fetch_add(1, Ordering::Relaxed);
            self.0.distance(other.0)
        }

        fn window(self, from: u32) -> u64 {
            self.0.window(from)
        }
    }

    #[test]
    fn sketches_of_one_template_cost_no_square() {
        // Each bit differs from the template with its own probability, as if votes were close: some bits in every
        // second sketch, most in none.
        let sketch = |at: u64| {
            let is_other = |bit: u64| mix(at << 8 | bit) >> 40 < (1 << 23) >> (bit / 4);
            Counted((0..64).filter(|bit| is_other(*bit)).fold(0, |bits, bit| bits | 1 << (mix(bit) % 64)))
        };
        let comparisons = |count: u64, distance: u32| {
            let sketches: Vec<Counted> = (0..count).map(sketch).collect();
            COMPARISONS.store(0, Ordering::Relaxed);
            buckets(&sketches, distance, Tables::Blocks);
            COMPARISONS.load(Ordering::Relaxed)
        };
        for distance in [3, 6, 10] {
            let [few, many] = [4_000, 16_000].map(|count| comparisons(count, distance));
            // Four times as many to the power of 1.2, plus the minimum per sketch.
            assert!(many * 10 <= few * 53 + 16_000 * 10 * 1_000, "{distance}: {few} {many}");
        }
    }

    #[test]
    fn a_million_sketches_have_the_pairs_that_brute_force_finds() {
        let sketches = planted(1_000_000, 7);
        let found = pairs_within(&sketches, 3);
        // Every five-hundredth against all of the million: all against all would take minutes, and `benches/hamming.rs`
        // does that.
        let is_asked = |place: u32| place.is_multiple_of(500);
        let of_asked: Vec<_> =
            found.iter().copied().filter(|(left, right)| is_asked(*left) || is_asked(*right)).collect();
        let mut brute: Vec<(u32, u32)> = (0..1_000_000)
            .into_par_iter()
            .filter(|place| is_asked(*place))
            .flat_map_iter(|asked| {
                let bits = sketches[asked as usize];
                let near = (0..).zip(&sketches).filter(move |(_, other)| bits.distance(**other) <= 3);
                near.filter(move |(other, _)| *other != asked)
                    .map(move |(other, _)| (asked.min(other), asked.max(other)))
            })
            .collect();
        brute.par_sort_unstable();
        brute.dedup();
        assert_eq!(of_asked, brute);
        assert!(found.len() > 100_000 && brute.len() > 500, "{} {}", found.len(), brute.len());
    }

    #[test]
    fn there_are_as_many_tables_as_choices_of_blocks() {
        assert_eq!((choose(4, 3), choose(6, 3), choose(5, 0), choose(16, 8)), (4, 20, 1, 12_870));
        assert_eq!(block_keys::<u64>(6, 3).len(), 20);
        assert_eq!(block_keys::<u64>(4, 1), [[(0, 16)], [(16, 16)], [(32, 16)], [(48, 16)]]);
        assert_eq!(block_keys::<u64>(1, 1), [[(0, 64)]]);
    }
}
