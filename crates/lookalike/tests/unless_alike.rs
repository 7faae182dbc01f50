//! Documents put into a saved index one after the other, each unless a near-duplicate is there, are those that `dedup` keeps with
//! the first of each.

use lookalike::core::resolve::keep::Keep;
use lookalike::texts::{Fate, TextOptions, dedup_with};
use lookalike::{Scheme, Silent};
use lookalike_index::{CreateOptions, Index, NewDocument, Put};

/// A stream of numbers by chance, the same for a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) % bound
    }

    fn words(&mut self, count: u64) -> Vec<String> {
        (0..count).map(|_| format!("w{}", self.below(3000))).collect()
    }
}

/// Strangers, chains whose neighbours alone are alike, copies in other letters, and texts of one template.
fn corpus(seed: u64) -> Vec<String> {
    let mut chance = Chance(seed);
    let mut texts: Vec<String> = Vec::new();
    for _ in 0..60 {
        texts.push(chance.words(60).join(" "));
    }
    for _ in 0..10 {
        let mut words = chance.words(120);
        for _ in 0..12 {
            let at = chance.below(words.len() as u64) as usize;
            words[at] = format!("x{}", chance.below(3000));
            texts.push(words.join(" "));
        }
    }
    for _ in 0..40 {
        let other = texts[chance.below(texts.len() as u64) as usize].clone();
        texts.push(match chance.below(3) {
            0 => other,
            1 => other.to_uppercase(),
            _ => format!("{other} \n"),
        });
    }
    let template = chance.words(100);
    for _ in 0..80 {
        let mut words = template.clone();
        for _ in 0..1 + chance.below(5) {
            let at = chance.below(100) as usize;
            words[at] = format!("y{}", chance.below(3000));
        }
        texts.push(words.join(" "));
    }
    texts.extend([String::new(), " ".to_owned(), String::new()]);
    // In another order, the same for a seed.
    for at in (1..texts.len()).rev() {
        texts.swap(at, chance.below(at as u64 + 1) as usize);
    }
    texts
}

#[test]
fn online_keeps_what_batch_keeps() {
    for (seed, scheme) in
        [(1, Scheme::jaccard(0.8).unwrap()), (2, Scheme::jaccard(0.8).unwrap()), (3, Scheme::jaccard(0.6).unwrap())]
    {
        let texts = corpus(seed);
        let options = TextOptions { keep: Keep::First, ..TextOptions::default() };
        let fates = dedup_with(&texts, &scheme, &options, &Silent).unwrap();
        let ids: Vec<String> = (0..texts.len()).map(|at| at.to_string()).collect();
        let all: Vec<NewDocument<'_>> = ids.iter().zip(&texts).map(|(id, text)| NewDocument::new(id, text)).collect();
        let folder = tempfile::tempdir().unwrap();
        for at_once in [1, 7, 1000] {
            let options = CreateOptions { scheme: scheme.clone(), ..CreateOptions::default() };
            let index = Index::create(&folder.path().join(at_once.to_string()), &options).unwrap();
            let writer = index.writer().unwrap();
            let mut puts: Vec<Put> = Vec::new();
            for some in all.chunks(at_once) {
                puts.extend(writer.put_unless_alike(some).unwrap());
            }
            assert!(puts.iter().filter(|put| **put != Put::Added).count() > 100, "there is something to leave out");
            for (at, (put, fate)) in puts.iter().zip(&fates).enumerate() {
                match (put, fate) {
                    (Put::Added, Fate::Kept) => {}
                    (
                        Put::Alike { id, similarity, likeness, is_exact_copy },
                        Fate::Removed { by, likeness: other, is_exact_copy: copy },
                    ) => {
                        if *by < at {
                            assert_eq!((id, likeness, is_exact_copy), (&by.to_string(), other, copy), "{at}");
                        } else {
                            // Batch knows one that comes later and is still more alike.
                            assert!(*similarity <= other.similarity(scheme.criterion), "{at}");
                        }
                    }
                    other => panic!("{at}: {other:?}"),
                }
            }
            let kept = fates.iter().filter(|fate| **fate == Fate::Kept).count();
            assert_eq!(index.snapshot().unwrap().len() as usize, kept);
        }
    }
}
