//! The first words of the documents in `removed.jsonl`, so that a list shows more than ids. They are read from the
//! input once, by a separate thread; until then, or if the input is too large or missing, rows show only ids.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use lookalike::{FinishedRun, Removal};

use super::table::RowTable;

/// The first words of documents by position.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    files: HashMap<(bool, String), u32>,
    words: HashMap<(u32, u64), Box<str>>,
}

/// First words that are being read.
#[derive(Debug, Default)]
pub(crate) struct ReadingStarts {
    state: Mutex<State>,
    is_read: Condvar,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    NotBegun,
    Begun,
    Read(Arc<Starts>),
}

/// Maximum number of removals, and of input bytes, for which first words are read: beyond, they would take too much
/// memory or time.
const MOST_REMOVALS: u64 = 200_000;
const MOST_INPUT: u64 = 1 << 30;

/// Maximum bytes of a text to examine, and characters to show.
const BYTES: usize = 400;
const SHOWN: usize = 80;

impl ReadingStarts {
    /// Returns the first words if they are read in time, and otherwise none.
    pub(crate) fn wait(
        self: &Arc<Self>,
        run: &Arc<FinishedRun>,
        table: &Arc<RowTable>,
        patience: Duration,
    ) -> Arc<Starts> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::NotBegun) {
            *state = State::Begun;
            let (reading, run, table) = (Arc::clone(self), Arc::clone(run), Arc::clone(table));
            std::thread::spawn(move || {
                // If the input is missing, there are none.
                let starts = Arc::new(Starts::read(&run, &table).unwrap_or_default());
                *reading.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Read(starts);
                reading.is_read.notify_all();
            });
        }
        let waited = self.is_read.wait_timeout_while(state, patience, |state| !matches!(state, State::Read(_)));
        match &*waited.unwrap_or_else(PoisonError::into_inner).0 {
            State::Read(starts) => Arc::clone(starts),
            State::NotBegun | State::Begun => Arc::default(),
        }
    }
}

impl Starts {
    fn read(run: &FinishedRun, table: &RowTable) -> io::Result<Self> {
        let (found, input) = (&run.summary().found, &run.summary().input);
        let mut starts = Self::default();
        if found.removed_count > MOST_REMOVALS || input.bytes > MOST_INPUT {
            return Ok(starts);
        }
        table.each(|_, removal| {
            for (is_reference, file, position) in places(&removal) {
                let next = starts.files.len() as u32;
                let file = *starts.files.entry((is_reference, file.to_owned())).or_insert(next);
                starts.words.entry((file, position)).or_default();
            }
            Ok(())
        })?;
        let Self { files, words } = &mut starts;
        let read = run.each_start(BYTES, |place, text| {
            let file = files.get(&(place.is_reference, place.file.to_owned()));
            if let Some(start) = file.and_then(|file| words.get_mut(&(*file, place.position))) {
                *start = first_words(text).into();
            }
        });
        read.map_err(io::Error::other)?;
        Ok(starts)
    }

    /// The first words of the removed and the kept document; empty if unknown.
    pub(crate) fn of(&self, removal: &Removal) -> [&str; 2] {
        places(removal).map(|(is_reference, file, position)| {
            let file = self.files.get(&(is_reference, file.to_owned()));
            file.and_then(|file| self.words.get(&(*file, position))).map_or("", |words| &**words)
        })
    }
}

fn places(removal: &Removal) -> [(bool, &str, u64); 2] {
    [
        (false, &*removal.removed_file, removal.removed_position),
        (removal.kept_in.is_some(), &*removal.kept_file, removal.kept_position),
    ]
}

/// The first words of a text, on one line.
fn first_words(text: &str) -> String {
    let mut words = String::new();
    for word in text.split_whitespace() {
        let space = if words.is_empty() { "" } else { " " };
        if words.chars().count() + space.len() + word.chars().count() > SHOWN {
            // A single word may be as long as a text.
            let room = if words.is_empty() { SHOWN } else { 0 };
            return words + &word.chars().take(room).collect::<String>() + " …";
        }
        words = words + space + word;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_are_one_line_of_some_length() {
        assert_eq!(first_words("  The storm\n\nhit\tthe coast. "), "The storm hit the coast.");
        let long = first_words(&"word ".repeat(100));
        assert!(long.ends_with("word …") && long.chars().count() <= SHOWN + 2, "{long}");
        assert_eq!(first_words(&"é".repeat(400)).chars().count(), SHOWN + 2);
    }
}
