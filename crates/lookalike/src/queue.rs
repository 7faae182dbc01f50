//! Shares the input files among threads: whoever is free unpacks the next part of a file, then parses it while
//! another thread unpacks the part after.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use lookalike_io::discover::InputFile;
use lookalike_io::read::{Chunk, Settings, Stream};

use crate::error::{Error, Result};

/// The files that are left to read, and those that are open.
pub(crate) struct Queue<'a> {
    files: &'a [InputFile],
    settings: &'a Settings,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next_file: usize,
    /// Open, and read by nobody at the moment.
    waiting: Vec<Stream>,
    /// How many streams are read at the moment.
    reading: usize,
    error: Option<Error>,
}

impl<'a> Queue<'a> {
    pub(crate) fn new(files: &'a [InputFile], settings: &'a Settings) -> Self {
        Self { files, settings, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Fills `chunk` with the next part of some file. False when all files are read, or reading failed.
    pub(crate) fn next(&self, chunk: &mut Chunk, opened: impl Fn(u32, &Stream)) -> bool {
        while let Some(task) = self.take() {
            let _reading = Reading(self);
            let read = (|| {
                let mut stream = match task {
                    Task { stream: Some(stream), .. } => stream,
                    Task { file, stream: None } => {
                        let stream = Stream::open(file, &self.files[file as usize], self.settings)?;
                        opened(file, &stream);
                        stream
                    }
                };
                Ok(stream.next(chunk)?.then_some(stream))
            })();
            let found = matches!(read, Ok(Some(_)));
            self.give_back(read);
            if found {
                return true;
            }
        }
        false
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
            // Files that are open come first, so that few are.
            let stream = state.waiting.pop();
            let file = state.next_file;
            let task = (stream.is_some() || file < self.files.len()).then_some(Task { file: file as u32, stream });
            match task {
                Some(task) => {
                    state.next_file += usize::from(task.stream.is_none());
                    state.reading += 1;
                    return Some(task);
                }
                None if state.reading == 0 => return None,
                None => state = self.changed.wait(state).expect("no thread panicked"),
            }
        }
    }

    fn give_back(&self, read: Result<Option<Stream>>) {
        let mut state = self.lock();
        match read {
            Ok(stream) => state.waiting.extend(stream),
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

/// A stream to go on with, or else a file to open.
struct Task {
    file: u32,
    stream: Option<Stream>,
}
