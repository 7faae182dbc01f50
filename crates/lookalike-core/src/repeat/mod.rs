//! Passages that several documents have: lines, paragraphs, and runs of words.
//!
//! ```text
//! text → samples → Seen          every text once: which samples do several texts have?
//! text → units   → Occurrences   units with such a sample: in how many documents, and where first?
//! text → units   → passages      the units that other documents have, joined where they touch
//! ```
//!
//! Every unit has a *sample* that depends only on the unit: for a line or paragraph its hash, for a run of words the smallest hash of
//! half as many words within it. Equal units have equal samples, and neighboring runs mostly share one. Units whose sample
//! occurs once are not stored, so memory use depends on the amount of repeated text.
//! (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003)

mod join;
mod occurrences;
mod seen;
mod units;
mod window;

use std::fmt;
use std::str::FromStr;

pub use self::join::{Copy, join};
pub use self::occurrences::{BYTES_PER_UNIT, Counting, First, Occurrence, OccurrenceCounter, Occurrences};
pub use self::seen::{BYTES_PER_SAMPLE, Seen};
pub use self::units::{UnitPlace, Units};
use crate::error::{Error, Result};
use crate::text::code::Language;

/// The kind of passage to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A line.
    Line,
    /// A paragraph; paragraphs are separated by blank lines.
    Paragraph,
    /// At least this many words in a row.
    Run(usize),
}

impl Unit {
    /// The shortest run: what is shorter is found everywhere, and says nothing.
    pub const LEAST_RUN: usize = 8;

    /// The longest run that can be asked for.
    pub const MOST_RUN: usize = 10_000;

    /// Number of words that a sample of a run is computed from. Two equal runs share a sample.
    pub(crate) fn gram(run: usize) -> usize {
        run / 2 + 1
    }

    /// Name in one word, without the length of a run.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Paragraph => "paragraph",
            Self::Run(_) => "run",
        }
    }
}

/// The kind of tokens that a run consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunTokens {
    /// Words.
    #[default]
    Words,
    /// Tokens of source code.
    Code(Language),
}

impl Default for Unit {
    fn default() -> Self {
        Self::Run(50)
    }
}

impl FromStr for Unit {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self> {
        let run = |words: &str| words.parse().ok().filter(|words| (Self::LEAST_RUN..=Self::MOST_RUN).contains(words));
        match value.split_once(':') {
            None if value == "line" => Ok(Self::Line),
            None if value == "paragraph" => Ok(Self::Paragraph),
            Some(("run", words)) => {
                run(words).map(Self::Run).ok_or_else(|| Error::NotAUnit { value: value.to_owned() })
            }
            _ => Err(Error::NotAUnit { value: value.to_owned() }),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line | Self::Paragraph => f.write_str(self.name()),
            Self::Run(words) => write!(f, "run:{words}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_written_as_it_is_read() {
        for written in ["line", "paragraph", "run:8", "run:50"] {
            assert_eq!(written.parse::<Unit>().unwrap().to_string(), written);
        }
        for refused in ["", "run", "run:7", "run:0", "run:x", "run:10001", "lines", "word:5"] {
            assert!(refused.parse::<Unit>().is_err(), "{refused}");
        }
    }
}
