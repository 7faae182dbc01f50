//! Repeated passages are those that brute force finds, whatever the samples are.

use lookalike_core::hash::Key;
use lookalike_core::repeat::{Copy, Counting, OccurrenceCounter, Seen, Unit, Units, join};
use lookalike_judge::{RepeatedUnit, repeated};
use proptest::prelude::*;

/// Stretches that the kernel finds: `(text, start, end)`, joined where they touch.
fn found(texts: &[&str], unit: Unit, at_least: u32) -> Vec<(usize, usize, usize)> {
    let mut units = Units::new(unit, Key::random());
    let seen = Seen::new(1000, 1 << 20);
    texts.iter().for_each(|text| units.samples(text, |sample| seen.note(sample)));
    let counter = OccurrenceCounter::new(Counting::Documents, 1 << 30);
    for (document, text) in (0..).zip(texts) {
        let mut wanted = Vec::new();
        units.wanted(text, |sample| seen.is_repeated(sample), |unit| wanted.push(unit));
        assert!(counter.add(document, &mut wanted));
    }
    let occurrences = counter.finish(at_least);
    let mut stretches: Vec<(usize, usize, usize)> = Vec::new();
    for (document, text) in (0..).zip(texts) {
        let mut copies = Vec::new();
        units.wanted(
            text,
            |_| true,
            |unit| {
                let occurrence = occurrences.of(unit.key).filter(|found| found.first.document != document);
                copies.extend(occurrence.map(|found| {
                    let (first, documents) = (found.first, found.documents);
                    Copy { start: unit.start, end: unit.end, first, documents }
                }));
            },
        );
        for passage in join(&copies, |_, _| false) {
            let (start, end) = (passage.start as usize, passage.end as usize);
            match stretches.last_mut() {
                Some(last) if last.0 == document as usize && last.2 == start => last.2 = end,
                _ => stretches.push((document as usize, start, end)),
            }
        }
    }
    stretches
}

/// Texts of few words, and so with many repeats.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["a", "b", "Été", "the", "c,", "d.", "\n", "\n\n", " ", "_x", "数1"]);
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

/// The judge joins what touches or overlaps; paragraphs and lines touch, runs overlap.
fn judged(texts: &[&str], unit: RepeatedUnit, at_least: u32) -> Vec<(usize, usize, usize)> {
    repeated(texts, unit, at_least as usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn repeats_are_those_of_brute_force(texts in prop::collection::vec(text(), 1..6), at_least in 2_u32..4, run in 8_usize..14) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.contains('数')).collect();
        for (unit, judge) in [
            (Unit::Line, RepeatedUnit::Line),
            (Unit::Paragraph, RepeatedUnit::Paragraph),
            (Unit::Run(run), RepeatedUnit::Run(run)),
        ] {
            prop_assert_eq!(found(&texts, unit, at_least), judged(&texts, judge, at_least), "{}", unit);
        }
    }

    #[test]
    fn passages_start_and_end_between_characters(texts in prop::collection::vec(text(), 1..5)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (text, start, end) in found(&texts, Unit::Run(8), 2) {
            prop_assert!(texts[text].is_char_boundary(start) && texts[text].is_char_boundary(end));
        }
    }
}
