//! Names of people: misspelled, shortened, swapped.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::plain::{Spelled, jaro, lengths, slips};
use super::{DIFFERENT, Level, Pattern, level_of};
use crate::ids::{Number, Record};
use crate::link::records::{Cell, MISSING, Records};
use crate::link::vocabulary::NICKNAMES;

const LITTLE_ALIKE: Level = 3;
const ALIKE: Level = 4;
const SHORT_FORM: Level = 5;
const ONE_LETTER: Level = 6;
const WITHIN: Level = 7;
const SWAPPED_MISSPELLED: Level = 8;
const SWAPPED: Level = 9;

/// The level of two different names; `are_nicknames` when one is known to stand for the other.
pub(super) fn level(texts: [Spelled<'_>; 2], are_nicknames: bool) -> Level {
    let has_words = texts.iter().any(|one| one.letters.may_have(' ') && one.text().contains(' '));
    if !has_words {
        return word_level(texts, are_nicknames);
    }
    // As one text only a single slip counts, such as a blank too many: two may make of one given name another.
    let is_one_slip = slips(texts, 1) == Some(1);
    level_of_words(texts.map(Spelled::text)).max(if is_one_slip { ONE_LETTER } else { DIFFERENT })
}

/// More slips make another name.
const MOST_SLIPS: u32 = 2;

fn word_level(texts: [Spelled<'_>; 2], are_nicknames: bool) -> Level {
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
        _ => DIFFERENT,
    }
}

/// How many words of a full name look for partners, the first ones: nobody has more, and all of a text would take longer by the square.
const MOST_WORDS: usize = 24;

/// Full names: each word of the shorter one looks for its best partner in the longer.
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
    // One word in common and one that differs is a relative, or nobody.
    if worst < SHORT_FORM && whole_words > 0 { worst.max(LITTLE_ALIKE) } else { worst }
}

/// The groups of names that a name stands in.
pub(in crate::link) fn nickname_groups(name: &str) -> Vec<u32> {
    static GROUPS: OnceLock<HashMap<&str, Vec<u32>>> = OnceLock::new();
    let groups = GROUPS.get_or_init(|| {
        let mut groups: HashMap<&str, Vec<u32>> = HashMap::new();
        for (line, group) in NICKNAMES.lines().zip(0..) {
            line.split_whitespace().for_each(|name| groups.entry(name).or_default().push(group));
        }
        groups
    });
    groups.get(name).cloned().unwrap_or_default()
}

fn are_nicknames(left: &str, right: &str) -> bool {
    let right = nickname_groups(right);
    nickname_groups(left).iter().any(|group| right.contains(group))
}

/// The pattern, or the one in which given and family name are swapped, when that is clearly closer.
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
    // Most pairs are told without their texts, which would have to be fetched.
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
    // The better one always goes to the first field, or the order of the two records would matter.
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
            ("john smith", "peter smith", LITTLE_ALIKE),
            ("wei zhang", "li zhang", LITTLE_ALIKE),
            ("smith", "garcia", DIFFERENT),
        ] {
            assert_eq!(level([left, right].map(Spelled::new), false), expected, "{left} {right}");
            assert_eq!(level([right, left].map(Spelled::new), false), expected, "{right} {left}");
        }
        let long = |last: &str| format!("{}{last}", "li wu ".repeat(2_000));
        assert_eq!(level([&*long("x"), &*long("y")].map(Spelled::new), false), WITHIN);
        assert!(are_nicknames("bill", "william") && !are_nicknames("bill", "robert"));
    }
}
