//! Shares the input among threads: whoever is free unpacks the next part of a unit, then parses it while another thread
//! unpacks the part after.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use lookalike_io::discover::InputFile;
use lookalike_io::read::{Chunk, Settings, Stream, Unit};

use crate::error::{Error, Result};

/// The units that are left to read, and those that are open.
pub(crate) struct Queue<'a> {
    files: &'a [InputFile],
    units: &'a [Unit],
    settings: &'a Settings,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next_unit: usize,
    /// Open, and read by nobody at the moment.
    waiting: Vec<Open>,
    /// How many streams are read at the moment.
    reading: usize,
    error: Option<Error>,
}

/// A unit that is being read.
struct Open {
    unit: usize,
    stream: Stream,
}

/// Who is told what becomes of units.
pub(crate) trait Watch: Sync {
    /// A unit was opened.
    fn opened(&self, unit: &Unit, stream: &Stream);

    /// A unit came to its end, after so many chunks; some of them may still be under way.
    fn ended(&self, unit: &Unit, chunk_count: u32) -> Result<()>;
}

impl<'a> Queue<'a> {
    pub(crate) fn new(files: &'a [InputFile], units: &'a [Unit], settings: &'a Settings) -> Self {
        Self { files, units, settings, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Fills `chunk` with the next part of some unit. False when all are read, or reading failed.
    pub(crate) fn next(&self, chunk: &mut Chunk, watch: &impl Watch) -> bool {
        while let Some(task) = self.take() {
            let _reading = Reading(self);
            let read = self.read(task, chunk, watch);
            let found = matches!(read, Ok(Some(_)));
            self.give_back(read);
            if found {
                return true;
            }
        }
        false
    }

    fn read(&self, task: Task, chunk: &mut Chunk, watch: &impl Watch) -> Result<Option<Open>> {
        let mut open = match task {
            Task::GoOn(open) => open,
            Task::Open(unit) => {
                let wanted = &self.units[unit];
                let stream = Stream::open(wanted, &self.files[wanted.file as usize], self.settings)?;
                watch.opened(wanted, &stream);
                Open { unit, stream }
            }
        };
        if open.stream.next(chunk)? {
            return Ok(Some(open));
        }
        watch.ended(&self.units[open.unit], open.stream.chunk_count())?;
        Ok(None)
    }

    /// Ends the reading for all.
    pub(crate) fn fail(&self, error: Error) {
        self.lock().error.get_or_insert(error);
        self.changed.notify_all();
    }

    /// What ended the reading early, if something did.
    pub(crate) fn finish(self) -> Result<()> {
        self.state.into_inner().expect("no thread panicked").error.map_or(Ok(()), Err)
    }

    fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.error.is_some() {
                return None;
            }
            // Units that are open come first, so that few are.
            let task = match state.waiting.pop() {
                Some(open) => Some(Task::GoOn(open)),
                None => (state.next_unit < self.units.len()).then_some(Task::Open(state.next_unit)),
            };
            match task {
                Some(task) => {
                    state.next_unit += usize::from(matches!(task, Task::Open(_)));
                    state.reading += 1;
                    return Some(task);
                }
                None if state.reading == 0 => return None,
                None => state = self.changed.wait(state).expect("no thread panicked"),
            }
        }
    }

    fn give_back(&self, read: Result<Option<Open>>) {
        let mut state = self.lock();
        match read {
            Ok(open) => state.waiting.extend(open),
            Err(error) => drop(state.error.get_or_insert(error)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panicked")
    }
}

/// A stream is being read. Ends also when reading panics: the other threads would wait for ever.
struct Reading<'q, 'a>(&'q Queue<'a>);

impl Drop for Reading<'_, '_> {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).reading -= 1;
        self.0.changed.notify_all();
    }
}

/// A unit to go on with, or one to open.
#[expect(clippy::large_enum_variant, reason = "there is one a thread, and it is moved once a megabyte")]
enum Task {
    GoOn(Open),
    Open(usize),
}
