//! The worked examples of the source material.

use std::collections::BTreeSet;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::bucket::hamming::Tables;
use lookalike_core::hash::mix;
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::distinct::Distinct;
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::measure::similarity::{Similarity, Threshold};
use lookalike_core::method::{Method, SimHash, Weights, Width};
use lookalike_core::sketch::{Sketches, estimate};
use lookalike_core::text::fold::Fold;
use lookalike_core::text::shingle::{Shingle, Shingler};

fn features(text: &str, shingle: &str) -> Vec<u64> {
    Shingler::new(&shingle.parse::<Shingle>().unwrap(), Fold::NONE).features(text).all.to_vec()
}

/// The features of a text are those of these shingles, and no others.
fn assert_shingles(text: &str, shingle: &str, shingles: &[&str]) {
    let each = |text: &&str| features(text, shingle);
    let found: BTreeSet<u64> = features(text, shingle).into_iter().collect();
    assert_eq!(found, shingles.iter().flat_map(each).collect());
    assert_eq!(found.len(), shingles.len());
}

#[test]
fn a_rose_is_a_rose_has_three_shingles_of_four_words() {
    assert_shingles("a rose is a rose is a rose", "word:4", &["a rose is a", "rose is a rose", "is a rose is"]);
}

#[test]
fn abcab_has_three_shingles_of_two_characters() {
    assert_shingles("abcab", "char:2", &["ab", "bc", "ca"]);
}

#[test]
fn a_midnight_dreary_and_its_twin_share_two_of_nine_shingles() {
    // One additional word in the middle removes three of five 4-word shingles, and adds four new ones.
    let left = features("Once upon a midnight dreary, while I pondered", "word:4");
    let right = features("Once upon a midnight so dreary, while I pondered", "word:4");
    let overlap = Overlap::of(&left, &right);
    assert_eq!(overlap, Overlap { shared: 2, left: 5, right: 6 });
    assert!((overlap.jaccard() - 0.22).abs() < 0.005);
}

/// The columns of a matrix of ones and zeros, as sets of rows numbered from 1.
fn columns(rows: &[&str]) -> Vec<Vec<usize>> {
    let has = |row: &str, column: usize| row.as_bytes()[column] == b'1';
    (0..rows[0].len()).map(|column| (1..=rows.len()).filter(|row| has(rows[row - 1], column)).collect()).collect()
}

/// The signature of a column under one order of rows: `order[i]` is the position of row `i + 1`.
fn place_of_first(column: &[usize], order: &[usize]) -> usize {
    column.iter().map(|row| order[row - 1]).min().unwrap()
}

fn jaccard(left: &[usize], right: &[usize]) -> f64 {
    let features = |column: &[usize]| column.iter().map(|row| *row as u64).collect::<Vec<_>>();
    Overlap::of(&features(left), &features(right)).jaccard()
}

#[test]
fn columns_with_four_kinds_of_rows_are_two_fifths_alike() {
    // Types of rows: both have it (a), one has it (b, c), neither has it (d); the similarity is a / (a + b + c).
    let columns = columns(&["01", "10", "11", "00", "11", "01"]);
    assert!((jaccard(&columns[0], &columns[1]) - 2.0 / 5.0).abs() < 1e-12);
}

#[test]
fn signatures_of_three_permutations_estimate_the_similarities() {
    let columns = [vec![1, 3, 4], vec![2, 5], vec![1, 2, 4]];
    // A permutation lists the rows in the order of visiting; the signature is the first row that is present.
    let permutations = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 4, 5, 1, 2]];
    let signature = |column: &Vec<usize>| -> Vec<u64> {
        permutations.iter().map(|order| *order.iter().find(|row| column.contains(row)).unwrap() as u64).collect()
    };
    let signatures: Vec<Vec<u64>> = columns.iter().map(signature).collect();
    let row = |at: usize| signatures.iter().map(|signature| signature[at]).collect::<Vec<_>>();
    assert_eq!([row(0), row(1), row(2)], [[1, 2, 1], [4, 5, 4], [3, 5, 4]]);
    for (left, right, estimated, exact) in [(0, 1, 0.0, 0.0), (0, 2, 0.67, 0.5), (1, 2, 0.0, 0.25)] {
        assert!((estimate(&signatures[left], &signatures[right]) - estimated).abs() < 0.005);
        assert!((jaccard(&columns[left], &columns[right]) - exact).abs() < 1e-12);
    }
}

#[test]
fn one_pass_over_the_rows_fills_the_slots() {
    // As in classic sketching: for each row of a column, each slot keeps the smallest hash.
    let hashes: [fn(usize) -> usize; 2] = [|x| x % 5, |x| (2 * x + 1) % 5];
    let slots = |column: &[usize]| hashes.map(|hash| column.iter().map(|row| hash(*row)).min().unwrap());
    assert_eq!([slots(&[1, 3, 4]), slots(&[2, 3, 5])], [[1, 2], [0, 0]]);
}

#[test]
fn three_orders_of_seven_rows_give_these_signatures() {
    let columns = columns(&["1010", "1001", "0101", "0101", "0101", "1010", "1010"]);
    let orders = [[3, 4, 7, 6, 1, 2, 5], [4, 2, 1, 3, 6, 7, 5], [1, 3, 7, 6, 2, 5, 4]];
    let signature = |column: &Vec<usize>| orders.map(|order| place_of_first(column, &order) as u64);
    let signatures: Vec<[u64; 3]> = columns.iter().map(signature).collect();
    let row = |at: usize| signatures.iter().map(|signature| signature[at]).collect::<Vec<_>>();
    assert_eq!([row(0), row(1), row(2)], [[2, 1, 2, 1], [2, 1, 4, 1], [1, 2, 1, 2]]);
    for (left, right, exact, estimated) in [(0, 2, 0.75, 0.67), (1, 3, 0.75, 1.0), (0, 1, 0.0, 0.0)] {
        assert!((jaccard(&columns[left], &columns[right]) - exact).abs() < 1e-12, "{left} {right}");
        assert!((estimate(&signatures[left], &signatures[right]) - estimated).abs() < 0.005, "{left} {right}");
    }
}

#[test]
fn the_curve_of_twenty_bands_of_five_rows() {
    let banding = Banding::new(20, 5).unwrap();
    let at = |similarity: f64| banding.recall_at(Similarity::new(similarity).unwrap());
    for (similarity, found) in
        [(0.2, 0.006), (0.3, 0.047), (0.4, 0.186), (0.5, 0.470), (0.6, 0.802), (0.7, 0.975), (0.8, 0.9996)]
    {
        assert!((at(similarity) - found).abs() < 0.0005, "{similarity}: {}", at(similarity));
    }
    let one_band = Banding::new(1, 5).unwrap().recall_at(Similarity::new(0.8).unwrap());
    assert!((one_band - 0.328).abs() < 0.0005);
    assert!((1.0 - at(0.8) - 0.000_35).abs() < 0.000_01);
}

#[test]
fn a_band_of_three_rows_lets_one_in_a_thousand_of_a_tenth_through() {
    let band = Banding::new(1, 3).unwrap();
    let at = |similarity: f64| band.recall_at(Similarity::new(similarity).unwrap());
    assert!((at(0.1) - 0.001).abs() < 1e-9);
    assert!((at(0.01) - 0.000_001).abs() < 1e-12);
}

#[test]
fn three_differing_bits_score_sixty_one_of_sixty_four() {
    let criterion = Criterion::Jaccard(Threshold::new(0.8).unwrap());
    let likeness = Likeness::Bits { differing: 3, of: 64 };
    assert!((likeness.similarity(criterion) - 61.0 / 64.0).abs() < f64::EPSILON);
}

/// Words of a synthetic language, by number.
fn word(number: u64) -> String {
    let syllables = ["ba", "ko", "ri", "nu", "se", "ta", "mo", "li", "ve", "du", "fa", "gi", "ho", "ju", "pe", "zo"];
    (0..4).map(|at| syllables[(mix(number) >> (4 * at)) as usize & 15]).collect()
}

#[test]
fn a_word_less_moves_only_a_few_bits() {
    let simhash = SimHash::new(Width::Bits64, Weights::Count, 3, Tables::Blocks, false).unwrap();
    let shingle: Shingle = "word:1".parse().unwrap();
    let bits = |text: &str| {
        let features = Shingler::new(&shingle, Fold::NONE).features(text).all.to_vec();
        let mut sketches = Sketches::new(simhash.layout());
        simhash.sketcher().sketch(&features, &Distinct::new(&features), &mut sketches);
        u64::from_le_bytes(sketches.all_bytes().try_into().unwrap())
    };
    // 500 texts of 200 words, each paired with a copy that lacks one word; and as many unrelated pairs.
    let trials = 500;
    let (mut moved, mut apart) = (Vec::new(), Vec::new());
    for trial in 0..trials {
        let words: Vec<String> = (0..200).map(|at| word(1000 * trial + at)).collect();
        let mut fewer = words.clone();
        fewer.remove((mix(trial) % 200) as usize);
        let [whole, fewer] = [words, fewer].map(|words| bits(&words.join(" ")));
        let stranger: Vec<String> = (0..200).map(|at| word(1_000_000 + 1000 * trial + at)).collect();
        moved.push((whole ^ fewer).count_ones());
        apart.push((whole ^ bits(&stranger.join(" "))).count_ones());
    }
    let mean = |bits: &[u32]| f64::from(bits.iter().sum::<u32>()) / bits.len() as f64;
    // A bit is set by 101 of 200 votes, and by 100 of 199: it changes only if it had exactly 100 and loses a vote
    // against it. By chance that is 1 / sqrt(2·pi·50) = 0.0564, halved: 1.8 of 64 bits, and so three or fewer in 0.89
    // of the texts, if bits are independent. Bounds of five standard deviations.
    let expected = 64.0 * 0.5 / (2.0 * std::f64::consts::PI * 50.0).sqrt();
    assert!((mean(&moved) - expected).abs() < 5.0 * (expected / trials as f64).sqrt(), "{}", mean(&moved));
    let few = moved.iter().filter(|bits| **bits <= 3).count() as f64 / trials as f64;
    assert!((few - 0.89).abs() < 5.0 * (0.89 * 0.11 / trials as f64).sqrt(), "{few}");
    // Sketches of unrelated texts agree by chance: 32 of 64, plus or minus 4. (They share one word or two of 65,536.)
    assert!((mean(&apart) - 32.0).abs() < 1.0, "{}", mean(&apart));
    assert!(*apart.iter().min().unwrap() > 10);
}

#[test]
fn stop_words_see_the_article_through_the_advertisements() {
    // Synthetic pages: an article is prose, with a small word now and then; advertisements and navigation have none.
    let prose = |seed: u64, words: u64| -> String {
        let small = ["the", "of", "is", "and", "to", "a", "in", "that"];
        let word = |at: u64| {
            let drawn = mix(seed.wrapping_mul(7919).wrapping_add(at));
            if at.is_multiple_of(3) { small[(drawn % 8) as usize].to_owned() } else { word(drawn % 5000) }
        };
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    };
    let advertisements = |seed: u64| (0..300).map(|at| word(10_000 + 1000 * seed + at)).collect::<Vec<_>>().join(" ");
    let page = |article: u64, site: u64| {
        format!("{} {} {}", advertisements(site), prose(article, 240), advertisements(site + 50))
    };
    let (mut by_words, mut by_stop_words) = (0, 0);
    let trials = 50;
    for trial in 0..trials {
        // One article on two sites, and another article on the first of them.
        let [page_here, page_there, other] =
            [page(trial, 2 * trial), page(trial, 2 * trial + 1), page(trial + 500, 2 * trial)];
        for (shingle, count) in [("word:3", &mut by_words), ("stopword:en", &mut by_stop_words)] {
            let similarity =
                |left: &str, right: &str| Overlap::of(&features(left, shingle), &features(right, shingle)).jaccard();
            *count += u32::from(similarity(&page_here, &page_there) > similarity(&page_here, &other));
        }
    }
    assert_eq!((by_words, by_stop_words), (0, trials as u32));
}
