//! Texts constructed by an attacker who knows the fixed hashes: decisions depend on what they really share.

use lookalike::core::bucket::banding::Banding;
use lookalike::core::hash::{Key, token_hash};
use lookalike::core::measure::criterion::Measure;
use lookalike::core::method::Weights;
use lookalike::core::scheme::MethodName;
use lookalike::core::sketch::{FastSketcher, SlotSketcher};
use lookalike::core::text::fold::Fold;
use lookalike::core::text::shingle::{Shingle, Shingler};
use lookalike::{Copies, SchemeRequest, Verdict, compare};
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};

use crate::made::{Case, dedup, pairs, scheme, similarity, try_dedup};

/// Words, and for each a word of 128 letters that has the same fixed hash.
fn collisions() -> Vec<(&'static str, &'static str)> {
    let words = include_str!("../../../../fixtures/collisions/words.tsv");
    words.lines().map(|line| line.split_once('\t').unwrap()).collect()
}

/// A text, and one without a word of it that has the same fixed hashes.
fn victim_and_evil() -> [String; 2] {
    let (words, evil): (Vec<&str>, Vec<&str>) = collisions().into_iter().unzip();
    [words.join(" "), evil.join(" ")]
}

/// Pairs of words of 900 letters, and of texts of 1,010 characters that differ in two letters. Each pair has the same
/// XXH3 for about one in a hundred of all seeds, so a random seed is no protection.
fn seed_collisions() -> [Vec<[&'static str; 2]>; 2] {
    let words = include_str!("../../../../fixtures/collisions/long_words.tsv");
    let texts = include_str!("../../../../fixtures/collisions/texts.tsv");
    [words, texts].map(|pairs| pairs.lines().map(|line| line.split_once('\t').unwrap().into()).collect())
}

/// Two texts that share no word, of which each word has the same XXH3 as its counterpart for one in a hundred of all
/// seeds.
fn strangers() -> [String; 2] {
    let [words, _] = seed_collisions();
    [0, 1].map(|side| words.iter().map(|pair| pair[side]).collect::<Vec<_>>().join(" "))
}

fn methods() -> Vec<SchemeRequest> {
    let plain = || SchemeRequest::default().threshold(0.8);
    let simhash = |weights: Weights| plain().method(MethodName::SimHash).shingle_weights(weights).verify(true);
    vec![
        scheme("word:5", 0.8, 0.99),
        scheme("stopword", 0.8, 0.99),
        plain().method(MethodName::SuperShingle).bands(6).rows(2).agree(1),
        simhash(Weights::Count),
        simhash(Weights::Idf),
        plain().method(MethodName::Exact),
        plain().measure(Measure::Containment),
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
    // The victim's words in different case, so that colliding words are really distinguished.
    let twin = format!("{}!", victim.to_uppercase());
    let case = Case::of(&[&evil, &victim, &twin]);
    for scheme in methods() {
        let mut request = case.request("corpus.jsonl", 0.8);
        request.read.id = Some("id".to_owned());
        // If containment is measured, the longer document is kept; these have equal length.
        request.keep = scheme.measure.is_none().then(|| "first".to_owned());
        request.scheme = scheme.clone();
        let summary = dedup(&request);
        assert_eq!((summary.found.removed_count, summary.found.same_words_count), (1, 1), "{scheme:?}");
        let row = &case.rows("removed.jsonl")[0];
        assert_eq!((&row["removed_id"], &row["kept_id"]), (&"2".into(), &"1".into()), "{scheme:?}");
        let found = pairs(&request.read, &scheme, Copies::All);
        assert_eq!(found, [("1".to_owned(), "2".to_owned(), 1.0)], "{scheme:?}");
        assert_eq!(compare(&victim, &evil, &scheme.check().unwrap()).unwrap().verdict, Verdict::NotNearDuplicates);
    }
}

#[test]
fn a_resumed_run_decides_with_the_key_it_began_with() {
    let [victim, evil] = victim_and_evil();
    let case = Case::of(&[evil, victim.clone(), format!("{victim}."), victim]);
    let mut request = case.request("corpus.jsonl", 0.8);
    request.work.work = Some(case.path("work"));
    request.scheme.key = Some("random".to_owned());
    // The last step of a run, so that all of its logs exist for the next one.
    request.fail_if_source_loses = Some(0.1);
    try_dedup(&request).unwrap_err();
    request.work.resume = Some(true);
    request.fail_if_source_loses = None;
    let summary = dedup(&request);
    assert_eq!(
        (summary.found.removed_count, summary.found.same_words_count, summary.found.exact_copy_count),
        (2, 1, 1)
    );
}

/// A text and a near-duplicate whose appended words were chosen, one after the other, to take over a slot of every
/// band.
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
    let case = Case::of(&evaded(similarity("word:5", 0.8, 0.99).method().banding().unwrap()));
    for (key, removed) in [(None, 0), (Some("4d"), 1), (Some("random"), 1)] {
        // Input this small would be compared exactly.
        let mut request = case.request("corpus.jsonl", 0.8).recall(0.99);
        request.scheme.key = key.map(str::to_owned);
        assert_eq!(dedup(&request).found.removed_count, removed, "{key:?}");
    }
}

#[test]
fn pairs_that_collide_for_many_seeds_collide_for_no_key() {
    let [words, texts] = seed_collisions();
    let numbers = |count: u64| (1..=count).map(|number| number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    for [left, right] in words.iter().chain(&texts) {
        let [left_bytes, right_bytes] = [left, right].map(|text| text.as_bytes());
        let is_equal = |seed: &u64| xxh3_128_with_seed(left_bytes, *seed) == xxh3_128_with_seed(right_bytes, *seed);
        let is_equal_64 = |seed: &u64| xxh3_64_with_seed(left_bytes, *seed) == xxh3_64_with_seed(right_bytes, *seed);
        let equal = numbers(2000).filter(|seed| is_equal(seed) || is_equal_64(seed)).count();
        assert!(equal > 0, "a pair that proves nothing: {left}");
        for number in numbers(2000) {
            let key = Key::new(u128::from(number) << 64 | u128::from(number.rotate_left(17)));
            assert_ne!(key.token_hash(left_bytes), key.token_hash(right_bytes));
            assert_ne!(key.bytes_hash(left_bytes) as u64, key.bytes_hash(right_bytes) as u64);
        }
    }
}

#[test]
fn no_run_of_two_thousand_takes_words_of_many_seeds_for_the_same() {
    let texts = strangers();
    let scheme = similarity("word:5", 0.8, 0.99);
    for _ in 0..2000 {
        // Each has its own random key.
        let fates = lookalike::texts::dedup(&texts, &scheme).unwrap();
        assert!(fates.iter().all(|fate| matches!(fate, lookalike::texts::Fate::Kept)), "{fates:?}");
    }
}

#[test]
fn no_run_of_two_thousand_takes_texts_of_many_seeds_for_exact_copies() {
    let [_, pairs] = seed_collisions();
    let texts: Vec<&str> = pairs.into_iter().flatten().collect();
    let copies = SchemeRequest::default().method(MethodName::Copies).check().unwrap();
    for _ in 0..2000 {
        let fates = lookalike::texts::dedup(&texts, &copies).unwrap();
        assert!(fates.iter().all(|fate| matches!(fate, lookalike::texts::Fate::Kept)), "{fates:?}");
    }
}

#[test]
fn files_of_such_texts_lose_none() {
    let [_, pairs] = seed_collisions();
    let texts: Vec<String> = strangers().into_iter().chain(pairs.into_iter().flatten().map(str::to_owned)).collect();
    let case = Case::of(&texts);
    for _ in 0..20 {
        let mut request = case.request("corpus.jsonl", 0.8);
        request.scheme = SchemeRequest::default().method(MethodName::Copies);
        assert_eq!(dedup(&request).found.removed_count, 0);
    }
}

#[test]
fn shingles_of_one_polynomial_are_told_apart() {
    // Without a stop word, a text is one shingle; these two collide for every polynomial modulo 2^64 with an odd base.
    let text = |other: u32| {
        let word = |at: u32| if (at.count_ones() + other).is_multiple_of(2) { "zxqv" } else { "qvxz" };
        (0..4096).map(word).collect::<Vec<_>>().join(" ")
    };
    let fates = lookalike::texts::dedup([text(0), text(1)], &similarity("stopword", 0.8, 0.99)).unwrap();
    assert!(fates.iter().all(|fate| matches!(fate, lookalike::texts::Fate::Kept)), "{fates:?}");
}

#[test]
fn zero_bytes_at_the_end_of_tokens_are_part_of_them() {
    let case = Case::of(&["a b c d e", "a\0 b\0 c\0 d\0 e\0", "a\0\0 b\0 c d e"]);
    let shingles = |shingle: &str| SchemeRequest::default().threshold(0.5).shingle(shingle);
    for scheme in [shingles("token:2"), shingles("token:1").method(MethodName::Exact), shingles("token:5").key("4d")] {
        let mut request = case.request("corpus.jsonl", 0.5);
        request.scheme = scheme.clone();
        assert_eq!(dedup(&request).found.removed_count, 0, "{scheme:?}");
    }
}
