//! Compares names of people: misspelled, abbreviated, swapped.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::plain::{Spelled, jaro, lengths, slips};
use super::{DIFFERENT, Level, Pattern, level_of};
use crate::ids::{Number, Record};
use crate::link::records::{Cell, MISSING, Records};
use crate::link::vocabulary::{GIVEN_NAMES, NICKNAMES};

const GENERATION: Level = 3;
const ONE_IN_COMMON: Level = 4;
const LITTLE_ALIKE: Level = 5;
pub(in crate::link) const ALIKE: Level = 6;
const SHORT_FORM: Level = 7;
const ONE_LETTER: Level = 8;
const WITHIN: Level = 9;
const SWAPPED_MISSPELLED: Level = 10;
const SWAPPED: Level = 11;

/// Levels of given names, or of whole names, that belong to two different people.
pub(in crate::link) const TWO_PEOPLE: std::ops::RangeInclusive<Level> = DIFFERENT..=ONE_IN_COMMON;

/// The level of two different names; `are_nicknames` if one is a known form of the other.
pub(super) fn level(texts: [Spelled<'_>; 2], are_nicknames: bool) -> Level {
    let has_words = texts.iter().any(|one| one.letters.may_have(' ') && one.text().contains(' '));
    if !has_words {
        return word_level(texts, are_nicknames);
    }
    // For the whole text only a single edit counts, such as an extra blank: two may turn one given name into another.
    let is_one_slip = slips(texts, 1) == Some(1);
    level_of_words(texts.map(Spelled::text)).max(if is_one_slip { ONE_LETTER } else { DIFFERENT })
}

/// Maximum number of edits: more make a different name.
const MOST_SLIPS: u32 = 2;

/// The level of two words. A typing error hardly ever turns one common given name into another: Mary and Mark are two
/// people.
fn word_level(texts: [Spelled<'_>; 2], are_nicknames: bool) -> Level {
    let level = level_of_letters(texts, are_nicknames);
    if !(LITTLE_ALIKE..=ONE_LETTER).contains(&level) || level == SHORT_FORM {
        return level;
    }
    match texts.map(|one| is_given_name(one.text())) {
        [true, true] if level == ONE_LETTER => LITTLE_ALIKE,
        [true, true] => DIFFERENT,
        _ => level,
    }
}

/// True if a word is a common given name.
fn is_given_name(word: &str) -> bool {
    static NAMES: OnceLock<HashSet<&str>> = OnceLock::new();
    NAMES.get_or_init(|| GIVEN_NAMES.split_whitespace().collect()).contains(word)
}

fn level_of_letters(texts: [Spelled<'_>; 2], are_nicknames: bool) -> Level {
    let [shorter, longer] = lengths(texts);
    match slips(texts, MOST_SLIPS as usize) {
        Some(1) if longer >= 3 => return ONE_LETTER,
        Some(2) if shorter >= 8 => return ONE_LETTER,
        Some(2) if longer >= 6 => return if are_nicknames { SHORT_FORM } else { ALIKE },
        _ => {}
    }
    let is_start = || {
        let [left, right] = texts.map(Spelled::text);
        left.starts_with(right) || right.starts_with(left)
    };
    let may_be_start = shorter != 2 && texts[0].letters.may_be_within(texts[1].letters);
    if are_nicknames || (may_be_start && is_start()) {
        return SHORT_FORM;
    }
    match jaro(texts, 0.75) {
        alike if alike >= 0.88 => ALIKE,
        alike if alike >= 0.75 => LITTLE_ALIKE,
        // The same letters in a different order.
        _ if longer - shorter <= 1 && texts[0].letters.most_ratio(texts[1].letters) >= 0.8 => LITTLE_ALIKE,
        _ => DIFFERENT,
    }
}

/// Maximum number of words of a full name to match, counted from the start: nobody has more, and the time to match all
/// words of a long text would be quadratic.
const MOST_WORDS: usize = 24;

/// Full names: each word of the shorter one is matched with its best partner in the longer.
fn level_of_words(texts: [&str; 2]) -> Level {
    let mut sides = texts.map(|text| text.split(' ').take(MOST_WORDS).collect::<Vec<_>>());
    sides.sort_by_key(|side| (side.len(), side.iter().map(|word| word.len()).sum::<usize>(), side.concat()));
    let [shorter, mut longer] = sides;
    let (mut worst, mut whole_words) = (WITHIN, 0);
    for word in &shorter {
        let found = longer
            .iter()
            .enumerate()
            .map(|(at, other)| {
                (
                    if word == other {
                        WITHIN
                    } else {
                        word_level([*word, *other].map(Spelled::new), are_nicknames(word, other))
                    },
                    at,
                )
            })
            .max_by_key(|(level, at)| (*level, std::cmp::Reverse(*at)));
        let Some((level, at)) = found else { break };
        longer.swap_remove(at);
        worst = worst.min(level);
        whole_words += usize::from(level == WITHIN && word.len() > 1);
    }
    if worst >= LITTLE_ALIKE || whole_words == 0 {
        return worst;
    }
    // "Mary Smith" and "John Smith" are relatives or unrelated; "Mary Smith" and "Mary Jones" may be one person who
    // married.
    let [left, right] = texts.map(|text| text.split(' ').next().unwrap_or_default());
    let is_one_given = word_level([left, right].map(Spelled::new), are_nicknames(left, right)) >= LITTLE_ALIKE;
    if left == right || is_one_given { LITTLE_ALIKE } else { ONE_IN_COMMON }
}

/// The groups of nicknames that a name belongs to.
pub(in crate::link) fn nickname_groups(name: &str) -> Vec<u32> {
    static GROUPS: OnceLock<HashMap<&str, Vec<u32>>> = OnceLock::new();
    let groups = GROUPS.get_or_init(|| {
        let mut groups: HashMap<&str, Vec<u32>> = HashMap::new();
        for (line, group) in NICKNAMES.lines().zip(0..) {
            line.split_whitespace().for_each(|name| groups.entry(name).or_default().push(group));
        }
        groups
    });
    match name.strip_suffix("ie") {
        // "Peggie" is "Peggy".
        Some(start) if !groups.contains_key(name) => groups.get(&*format!("{start}y")),
        _ => groups.get(name),
    }
    .cloned()
    .unwrap_or_default()
}

fn are_nicknames(left: &str, right: &str) -> bool {
    let right = nickname_groups(right);
    nickname_groups(left).iter().any(|group| right.contains(group))
}

/// Returns the pattern of two people whose names have different generations: "Jr" and "Sr".
pub(super) fn with_generations(records: &Records, mut pattern: Pattern) -> Pattern {
    for field in records.names() {
        if level_of(pattern, *field) > GENERATION {
            pattern = pattern & !(15 << (4 * field)) | Pattern::from(GENERATION) << (4 * field);
        }
    }
    pattern
}

/// Returns the pattern, or the one with given and family name swapped, if that is clearly closer.
pub(super) fn with_swapped(
    records: &Records,
    left: Record,
    right: Record,
    fields: [usize; 2],
    pattern: Pattern,
) -> Pattern {
    let straight = fields.map(|field| level_of(pattern, field));
    if straight.iter().any(|level| *level >= ALIKE) {
        return pattern;
    }
    let cell = |field: usize, record: Record| records.row(record)[fields[field]];
    let are_far = |[one, other]: [Cell; 2]| {
        one.value != MISSING && other.value != MISSING && one.letters().least_slips(other.letters()) > MOST_SLIPS
    };
    // Most pairs are decided without their texts, which would have to be fetched from memory.
    if are_far([cell(0, left), cell(1, right)]) || are_far([cell(1, left), cell(0, right)]) {
        return pattern;
    }
    let text = |field: usize, record: Record| {
        let field = &records.fields()[fields[field]];
        let value = field.of_record[record.index()];
        (value != MISSING).then(|| field.values.get(value as usize))
    };
    let crossed = [[text(0, left), text(1, right)], [text(1, left), text(0, right)]].map(|pair| match pair {
        [None, None] => super::BOTH_MISSING,
        [Some(left), Some(right)] if left == right => SWAPPED,
        [Some(left), Some(right)] if word_level([left, right].map(Spelled::new), false) >= ONE_LETTER => {
            SWAPPED_MISSPELLED
        }
        [Some(_), Some(_)] => DIFFERENT,
        _ => super::ONE_MISSING,
    });
    let better = crossed[0].max(crossed[1]);
    let worse = crossed[0].min(crossed[1]);
    if better < SWAPPED_MISSPELLED || worse == DIFFERENT {
        return pattern;
    }
    // The better level always goes to the first field; otherwise the order of the two records would matter.
    let cleared = pattern & !(15 << (4 * fields[0])) & !(15 << (4 * fields[1]));
    cleared | Pattern::from(better) << (4 * fields[0]) | Pattern::from(worse) << (4 * fields[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_and_short_forms_are_told_from_other_names() {
        for (left, right, expected) in [
            ("jeffrey", "jeffery", ONE_LETTER),
            ("rob", "robert", SHORT_FORM),
            ("j", "john", SHORT_FORM),
            ("mary ann", "mary", WITHIN),
            ("john smith", "smith john", WITHIN),
            ("john a smith", "john smith", WITHIN),
            ("j smith", "john smith", SHORT_FORM),
            ("jeffrey ulman", "jeffery ullman", ONE_LETTER),
            ("mary ann lee", "maryann lee", ONE_LETTER),
            ("john smith", "peter smith", ONE_IN_COMMON),
            ("wei zhang", "li zhang", ONE_IN_COMMON),
            ("mary smith", "mary jones", LITTLE_ALIKE),
            ("mary smith", "marie jones", DIFFERENT),
            ("smith", "garcia", DIFFERENT),
            ("mary", "mark", LITTLE_ALIKE),
            ("patrick", "patricia", DIFFERENT),
            ("margaret", "peggie", SHORT_FORM),
        ] {
            assert_eq!(level([left, right].map(Spelled::new), are_nicknames(left, right)), expected, "{left} {right}");
            assert_eq!(level([right, left].map(Spelled::new), are_nicknames(left, right)), expected, "{right} {left}");
        }
        let long = |last: &str| format!("{}{last}", "li wu ".repeat(2_000));
        assert_eq!(level([&*long("x"), &*long("y")].map(Spelled::new), false), WITHIN);
        assert!(are_nicknames("bill", "william") && !are_nicknames("bill", "robert"));
    }
}
