//! Shares the input among threads: each free thread unpacks the next part of a unit, then parses it while another
//! thread unpacks the following part.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use lookalike_io::input::discover::InputFile;
use lookalike_io::read::{Chunk, Next, Settings, Stream, Unit};

use crate::error::{Error, Result};

/// The units that remain to be read, and those that are open.
pub(crate) struct Queue<'a> {
    files: &'a [InputFile],
    units: &'a [Unit],
    settings: &'a Settings,
    /// Maximum size of entries that several threads read at the same time. Larger ones are read one by one, since each
    /// takes about twelve times its size in memory until it is sketched.
    together: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next_unit: usize,
    /// Open units that no thread is reading at the moment.
    waiting: Vec<Open>,
    /// The same, for units whose next entry is large.
    large: Vec<Open>,
    /// True if a thread has a large entry.
    has_large: bool,
    /// Number of streams that are being read.
    reading: usize,
    error: Option<Error>,
}

/// A unit that is being read.
struct Open {
    unit: usize,
    stream: Stream,
}

/// Receives events about units.
pub(crate) trait Watch: Sync {
    /// A unit was opened.
    fn opened(&self, unit: &Unit, stream: &Stream);

    /// A unit came to its end after this many chunks; some of them may still be in progress.
    fn ended(&self, unit: &Unit, chunk_count: u32) -> Result<()>;
}

impl<'a> Queue<'a> {
    pub(crate) fn new(files: &'a [InputFile], units: &'a [Unit], settings: &'a Settings, together: usize) -> Self {
        Self { files, units, settings, together, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Fills `chunk` with the next part of some unit. None once all are read, or reading failed. The turn must be
    /// dropped when the chunk is processed, and before the next call.
    pub(crate) fn next(&self, chunk: &mut Chunk, watch: &impl Watch) -> Option<Turn<'_, 'a>> {
        while let Some(task) = self.take() {
            let _reading = Reading(self);
            // Created first, so that it always ends.
            let turn = Turn { queue: self, is_large: matches!(task, Task::GoOnLarge(_)) };
            let read = self.read(task, chunk, watch);
            let found = matches!(read, Ok(Some((_, Next::Chunk))));
            self.give_back(read);
            if found {
                return Some(turn);
            }
        }
        None
    }

    fn read(&self, task: Task, chunk: &mut Chunk, watch: &impl Watch) -> Result<Option<(Open, Next)>> {
        let most = if matches!(task, Task::GoOnLarge(_)) { usize::MAX } else { self.together };
        let mut open = match task {
            Task::GoOn(open) | Task::GoOnLarge(open) => open,
            Task::Open(unit) => {
                let wanted = &self.units[unit];
                let stream = Stream::open(wanted, &self.files[wanted.file as usize], self.settings)?;
                watch.opened(wanted, &stream);
                Open { unit, stream }
            }
        };
        let next = open.stream.next_within(chunk, most)?;
        if next != Next::End {
            return Ok(Some((open, next)));
        }
        watch.ended(&self.units[open.unit], open.stream.chunk_count())?;
        Ok(None)
    }

    /// Ends the reading for all threads.
    pub(crate) fn fail(&self, error: Error) {
        self.lock().error.get_or_insert(error);
        self.changed.notify_all();
    }

    /// Returns the error that ended reading early, if any.
    pub(crate) fn finish(self) -> Result<()> {
        self.state.into_inner().expect("no thread panicked").error.map_or(Ok(()), Err)
    }

    fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.error.is_some() {
                return None;
            }
            // Open units come first, so that few are open; and those with a large entry come before others are opened,
            // so that few have to wait for their turn.
            let task = if let Some(open) = state.waiting.pop() {
                Some(Task::GoOn(open))
            } else if !state.large.is_empty() {
                if state.has_large { None } else { state.large.pop().map(Task::GoOnLarge) }
            } else {
                (state.next_unit < self.units.len()).then_some(Task::Open(state.next_unit))
            };
            match task {
                Some(task) => {
                    state.next_unit += usize::from(matches!(task, Task::Open(_)));
                    state.has_large |= matches!(task, Task::GoOnLarge(_));
                    state.reading += 1;
                    return Some(task);
                }
                None if state.reading == 0 && state.large.is_empty() => return None,
                None => state = self.changed.wait(state).expect("no thread panicked"),
            }
        }
    }

    fn give_back(&self, read: Result<Option<(Open, Next)>>) {
        let mut state = self.lock();
        match read {
            Ok(Some((open, Next::Large))) => state.large.push(open),
            Ok(open) => state.waiting.extend(open.map(|(open, _)| open)),
            Err(error) => drop(state.error.get_or_insert(error)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panicked")
    }
}

/// A stream that is being read. It also ends if reading panics: otherwise the other threads would wait forever.
struct Reading<'q, 'a>(&'q Queue<'a>);

impl Drop for Reading<'_, '_> {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).reading -= 1;
        self.0.changed.notify_all();
    }
}

/// The time during which a thread processes a part of a unit.
pub(crate) struct Turn<'q, 'a> {
    queue: &'q Queue<'a>,
    is_large: bool,
}

impl Turn<'_, '_> {
    /// True if buffers grew for it to a size that no other part will need.
    pub(crate) fn is_large(&self) -> bool {
        self.is_large
    }
}

impl Drop for Turn<'_, '_> {
    fn drop(&mut self) {
        if self.is_large {
            self.queue.state.lock().unwrap_or_else(PoisonError::into_inner).has_large = false;
            self.queue.changed.notify_all();
        }
    }
}

/// A unit to continue with, or one to open.
enum Task {
    GoOn(Open),
    GoOnLarge(Open),
    Open(usize),
}
