//! Texts written by somebody who knows the fixed hashes: what they share with others decides, and not what they seem to share.

mod made;

use lookalike::core::bucket::banding::Banding;
use lookalike::core::bucket::hamming::Tables;
use lookalike::core::hash::{Key, token_hash};
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::measure::similarity::Threshold;
use lookalike::core::method::{Part, Weights, Width};
use lookalike::core::resolve::keep::Keep;
use lookalike::core::sketch::{FastSketcher, SlotKind, SlotSketcher};
use lookalike::core::text::fold::Fold;
use lookalike::core::text::shingle::{Shingle, Shingler};
use lookalike::{Copies, Earlier, MethodOptions, Scheme, SketchKey, Verdict, compare};
use made::{Case, dedup, pairs, similarity};

/// Words, and for each a word of 128 letters that has the same fixed hash.
fn collisions() -> Vec<(&'static str, &'static str)> {
    let words = include_str!("../../../fixtures/collisions/words.tsv");
    words.lines().map(|line| line.split_once('\t').unwrap()).collect()
}

/// A text, and one without a word of it that has the same fixed hashes.
fn victim_and_evil() -> [String; 2] {
    let (words, evil): (Vec<&str>, Vec<&str>) = collisions().into_iter().unzip();
    [words.join(" "), evil.join(" ")]
}

fn methods() -> Vec<Scheme> {
    let by = |method: MethodOptions| Scheme { method, ..similarity("word:5", 0.8, 0.99) };
    let threshold = Threshold::new(0.8).unwrap();
    let simhash = |weights: Weights| MethodOptions::SimHash {
        width: Width::Bits64,
        weights,
        distance: 3,
        tables: Tables::Blocks,
        is_verified: true,
    };
    let groups = Banding::new(6, 2).unwrap();
    vec![
        similarity("word:5", 0.8, 0.99),
        similarity("stopword", 0.8, 0.99),
        by(MethodOptions::SuperShingle { banding: groups, slots: SlotKind::Fast }),
        by(simhash(Weights::Count)),
        by(simhash(Weights::Idf)),
        by(MethodOptions::Exact),
        Scheme {
            criterion: Criterion::Containment(threshold),
            ..by(MethodOptions::Part(Part::new(threshold, 0.99).unwrap()))
        },
    ]
}

#[test]
fn words_of_one_fixed_hash_differ_with_any_other_key() {
    for (word, evil) in collisions() {
        assert_eq!(token_hash(word.as_bytes()), token_hash(evil.as_bytes()), "{word}");
        for key in [Key::new(1), Key::random()] {
            assert_ne!(key.token_hash(word.as_bytes()), key.token_hash(evil.as_bytes()), "{word}");
        }
    }
}

#[test]
fn a_text_that_shares_hashes_and_no_word_removes_nobody() {
    let [victim, evil] = victim_and_evil();
    // The same words as the victim's, in another dress: so that words of one hash are told apart, and not merely left alone.
    let twin = format!("{}!", victim.to_uppercase());
    let case = Case::of(&[&evil, &victim, &twin]);
    for similarity in methods() {
        let mut options = case.options("corpus.jsonl", 0.8);
        options.read.settings.fields.id = Some("id".to_owned());
        options.keep = Keep::First;
        options.scheme = similarity.clone();
        let summary = dedup(&options);
        assert_eq!((summary.found.removed, summary.found.same_words), (1, 1), "{similarity:?}");
        let row = &case.rows("removed.jsonl")[0];
        assert_eq!((&row["removed_id"], &row["kept_id"]), (&"2".into(), &"1".into()), "{similarity:?}");
        let found = pairs(&options.read, similarity.clone(), Copies::All);
        assert_eq!(found, [("1".to_owned(), "2".to_owned(), 1.0)], "{similarity:?}");
        assert_eq!(compare(&victim, &evil, &similarity).unwrap().verdict, Verdict::NotNearDuplicates);
    }
}

#[test]
fn a_resumed_run_decides_with_the_key_it_began_with() {
    let [victim, evil] = victim_and_evil();
    let case = Case::of(&[evil, victim.clone(), format!("{victim}."), victim]);
    let mut options = case.options("corpus.jsonl", 0.8);
    options.work.folder = Some(case.path("work"));
    options.scheme.key = SketchKey::Random;
    // The last thing that a run does, so that all of its logs are there to be read by the next.
    options.fail_if_source_loses = Some(lookalike::Share::new(0.1).unwrap());
    lookalike::dedup(&options, &lookalike::Silent).unwrap_err();
    options.work.earlier = Earlier::Resume;
    options.fail_if_source_loses = None;
    let summary = dedup(&options);
    assert_eq!((summary.found.removed, summary.found.same_words, summary.found.exact_copies), (2, 1, 1));
}

/// A text and a near-duplicate whose appended words were chosen, one after the other, to take over a slot of every band.
fn evaded(banding: Banding) -> [String; 2] {
    let word = |number: usize| format!("w{}", number.wrapping_mul(0x9E37_79B9) % 9973);
    let original: Vec<String> = (0..300).map(word).collect();
    let mut shingler = Shingler::new(&Shingle::Word(5), Fold::NONE);
    let mut sketcher = FastSketcher::new(banding.slot_count());
    let mut keys = |words: &[String]| {
        let sketch = sketcher.sketch(shingler.features(&words.join(" ")).all).unwrap().to_vec();
        let mut keys = Vec::new();
        banding.cutter().keys(&sketch, |key| keys.push(key));
        keys
    };
    let theirs = keys(&original);
    let mut words = original.clone();
    for _ in 0..20 {
        let shared = |candidate: &usize| {
            let mut with = words.clone();
            with.push(word(*candidate));
            keys(&with).iter().zip(&theirs).filter(|(left, right)| left == right).count()
        };
        let best = (1000..1200).min_by_key(shared).unwrap();
        words.push(word(best));
    }
    [original.join(" "), words.join(" ")]
}

#[test]
fn chosen_words_keep_a_near_duplicate_hidden_from_the_fixed_sketch_alone() {
    let options = similarity("word:5", 0.8, 0.99);
    let case = Case::of(&evaded(options.method.banding().unwrap()));
    for (key, removed) in [(SketchKey::Fixed, 0), (SketchKey::Given(Key::new(77)), 1), (SketchKey::Random, 1)] {
        let mut dedup_options = case.options("corpus.jsonl", 0.8);
        dedup_options.scheme = Scheme { key, ..options.clone() };
        assert_eq!(dedup(&dedup_options).found.removed, removed, "{key:?}");
    }
}
