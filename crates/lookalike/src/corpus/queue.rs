//! Shares the input among threads: whoever is free unpacks the next part of a unit, then parses it while another thread
//! unpacks the part after.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use lookalike_io::input::discover::InputFile;
use lookalike_io::read::{Chunk, Next, Settings, Stream, Unit};

use crate::error::{Error, Result};

/// The units that are left to read, and those that are open.
pub(crate) struct Queue<'a> {
    files: &'a [InputFile],
    units: &'a [Unit],
    settings: &'a Settings,
    /// The longest entries that several threads read at the same time: others come one by one, since each takes a dozen times
    /// its size until it is sketched.
    together: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next_unit: usize,
    /// Open, and read by nobody at the moment.
    waiting: Vec<Open>,
    /// The same, of those whose next entry is large.
    large: Vec<Open>,
    /// Whether a thread has a large entry.
    has_large: bool,
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
    pub(crate) fn new(files: &'a [InputFile], units: &'a [Unit], settings: &'a Settings, together: usize) -> Self {
        Self { files, units, settings, together, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Fills `chunk` with the next part of some unit. None when all are read, or reading failed. What comes is given up when it
    /// was dealt with, and before more is asked for.
    pub(crate) fn next(&self, chunk: &mut Chunk, watch: &impl Watch) -> Option<Turn<'_, 'a>> {
        while let Some(task) = self.take() {
            let _reading = Reading(self);
            // Made first, so that it ends whatever happens.
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
            // Units that are open come first, so that few are; and those with a large entry before others are opened, so that
            // not many wait for their turn.
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

/// A stream is being read. Ends also when reading panics: the other threads would wait for ever.
struct Reading<'q, 'a>(&'q Queue<'a>);

impl Drop for Reading<'_, '_> {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).reading -= 1;
        self.0.changed.notify_all();
    }
}

/// A thread deals with a part of a unit.
pub(crate) struct Turn<'q, 'a> {
    queue: &'q Queue<'a>,
    is_large: bool,
}

impl Turn<'_, '_> {
    /// Whether buffers have grown for it, which nobody else will need.
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

/// A unit to go on with, or one to open.
enum Task {
    GoOn(Open),
    GoOnLarge(Open),
    Open(usize),
}
