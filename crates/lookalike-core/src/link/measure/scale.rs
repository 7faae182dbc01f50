//! Names of the levels of each kind, and their points: 100 for equal, fewer for differences that a person would
//! forgive.

use super::Level;
use crate::link::config::Kind;

/// One level of a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelInfo {
    /// Name in an explanation.
    pub name: &'static str,
    /// Points, up to 100.
    pub points: u8,
}

/// The levels of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    levels: &'static [LevelInfo],
    /// Lists of levels in which each is at least as close as the one before.
    chains: &'static [&'static [Level]],
}

const fn level(name: &'static str, points: u8) -> LevelInfo {
    LevelInfo { name, points }
}

/// No evidence for or against the pair.
const BOTH: LevelInfo = level("both missing", 50);

/// As above, but two records of the same person or thing would more often both have a value.
const ONE: LevelInfo = level("one missing", 40);

const NAME: &[LevelInfo] = &[
    BOTH,
    ONE,
    level("different", 0),
    level("another generation", 0),
    level("one name in common", 20),
    level("a little alike", 40),
    level("alike", 65),
    level("short form", 80),
    level("one letter apart", 90),
    level("one within the other", 90),
    level("swapped, and misspelled", 75),
    level("swapped", 85),
    level("equal", 100),
];
const DATE: &[LevelInfo] = &[
    BOTH,
    ONE,
    level("different", 0),
    level("less than two years apart", 15),
    level("less than 45 days apart", 45),
    level("two of three parts equal", 60),
    level("day and month swapped", 80),
    level("one digit apart", 80),
    level("equal as far as known", 90),
    level("equal", 100),
];
const PHONE: &[LevelInfo] = &[
    BOTH,
    ONE,
    level("different", 0),
    level("last four digits equal", 25),
    level("two digits apart", 50),
    level("one digit apart", 75),
    level("other or no area code", 80),
    level("equal", 100),
];
const NUMBER: &[LevelInfo] = &[
    BOTH,
    ONE,
    level("different", 0),
    level("within 50 %", 25),
    level("within 20 %", 50),
    level("within 5 %", 75),
    level("one digit apart", 75),
    level("within 0.5 %", 90),
    level("equal", 100),
];
const CODE: &[LevelInfo] = &[
    BOTH,
    ONE,
    level("different", 0),
    level("a little alike", 30),
    level("two signs apart", 60),
    level("one sign apart", 85),
    level("equal", 100),
];
const CATEGORY: &[LevelInfo] = &[BOTH, ONE, level("different", 0), level("equal", 100)];
const EMAIL: &[LevelInfo] = &[
    BOTH,
    ONE,
    level("different", 0),
    level("same domain", 20),
    level("made of the same name", 40),
    level("made of the same name, same domain", 50),
    level("alike", 60),
    level("same name, other domain", 75),
    level("at most two signs apart", 90),
    level("equal", 100),
];
const WORDS: &[LevelInfo] = &[
    BOTH,
    ONE,
    level("different, other numbers", 0),
    level("20 % alike, other numbers", 10),
    level("40 % alike, other numbers", 20),
    level("55 % alike, other numbers", 30),
    level("70 % alike, other numbers", 45),
    level("85 % alike, other numbers", 60),
    level("different", 0),
    level("20 % alike", 20),
    level("40 % alike", 40),
    level("55 % alike", 60),
    level("70 % alike", 75),
    level("85 % alike", 90),
    level("same part number", 95),
    level("equal", 100),
];

impl Scale {
    /// The scale of a kind.
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::PersonName => Self { levels: NAME, chains: &[&[2, 3, 4, 5, 6, 7, 8, 12], &[9], &[10, 11]] },
            Kind::Date => Self { levels: DATE, chains: &[&[2, 3, 4, 5, 6, 7, 8, 9]] },
            Kind::Phone => Self { levels: PHONE, chains: &[&[2, 3, 4, 5, 6, 7]] },
            Kind::Number => Self { levels: NUMBER, chains: &[&[2, 3, 4, 5, 6, 7, 8]] },
            Kind::Code | Kind::Ignored => Self { levels: CODE, chains: &[&[2, 3, 4, 5, 6]] },
            Kind::Category => Self { levels: CATEGORY, chains: &[&[2, 3]] },
            // The evidence of levels 4 and 5 is that of the names and of the domain.
            Kind::Email => Self { levels: EMAIL, chains: &[&[2, 3], &[6, 7, 8, 9]] },
            Kind::Organization | Kind::Address | Kind::FreeText => {
                Self { levels: WORDS, chains: &[&[2, 3, 4, 5, 6, 7], &[8, 9, 10, 11, 12, 13, 14, 15]] }
            }
        }
    }

    /// Name and points of a level.
    pub fn level(self, level: Level) -> LevelInfo {
        self.levels[usize::from(level)]
    }

    /// Number of levels.
    pub fn len(self) -> usize {
        self.levels.len()
    }

    /// Always false.
    pub fn is_empty(self) -> bool {
        self.levels.is_empty()
    }

    /// The level of equal values.
    pub fn equal(self) -> Level {
        self.levels.len() as Level - 1
    }

    /// The level of different values, whatever their numbers.
    pub(in crate::link) fn different(self) -> Level {
        if self.levels.len() == WORDS.len() { 8 } else { super::DIFFERENT }
    }

    /// Levels of texts with conflicting numbers, each with the level of equally similar texts without a conflict.
    pub(in crate::link) fn conflicts(self) -> impl Iterator<Item = (Level, Level)> {
        const WITH: Level = 2;
        const WITHOUT: Level = 8;
        let has_conflicts = self.levels.len() == WORDS.len();
        (WITH..WITHOUT).take_while(move |_| has_conflicts).map(|level| (level, level - WITH + WITHOUT))
    }

    /// Lists of levels in which each is at least as close as the one before. Equal is closer than all.
    pub fn chains(self) -> &'static [&'static [Level]] {
        self.chains
    }
}
