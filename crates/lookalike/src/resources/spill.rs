//! Collects data in memory while there is room, and then in a log of the work folder.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use lookalike_io::work::Log;

use crate::error::Result;
use crate::resources::work::Work;

/// Limits the memory of collected data. The log is created when it is first needed.
pub(crate) struct Spill<'a> {
    work: &'a Work,
    stage: &'static str,
    log: OnceLock<Log>,
    making: Mutex<()>,
    most_held: usize,
    held: AtomicUsize,
}

impl<'a> Spill<'a> {
    /// Holds this many bytes, and writes the rest to a log with this name.
    pub(crate) fn new(work: &'a Work, stage: &'static str, most_held: usize) -> Self {
        Self { work, stage, log: OnceLock::new(), making: Mutex::default(), most_held, held: AtomicUsize::new(0) }
    }

    /// The memory and the work folder.
    pub(crate) fn work(&self) -> &'a Work {
        self.work
    }

    /// Maximum number of bytes to hold.
    pub(crate) fn most_held(&self) -> usize {
        self.most_held
    }

    /// Number of bytes held.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// Counts more bytes as held; returns false if the limit is exceeded. All held data must then be written to the
    /// log.
    pub(crate) fn hold(&self, bytes: usize) -> bool {
        self.held.fetch_add(bytes, Relaxed) + bytes <= self.most_held
    }

    /// Records that nothing is held any more.
    pub(crate) fn let_go(&self) {
        self.held.store(0, Relaxed);
    }

    /// True if something was written to the log.
    pub(crate) fn has_log(&self) -> bool {
        self.log.get().is_some()
    }

    /// Appends words to the log, and returns their position.
    pub(crate) fn append(&self, words: &[u64]) -> Result<u64> {
        Ok(self.log()?.append(words)?)
    }

    /// The log, if there is one.
    pub(crate) fn into_log(self) -> Option<Log> {
        self.log.into_inner()
    }

    fn log(&self) -> Result<&Log> {
        if let Some(log) = self.log.get() {
            return Ok(log);
        }
        // One thread creates it, and the others wait.
        let _making = self.making.lock().expect("no thread panicked");
        if self.log.get().is_none() {
            let log = self.work.folder()?.log(self.stage)?;
            return Ok(self.log.get_or_init(|| log));
        }
        Ok(self.log.get().expect("another thread has made it"))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_io::write::Unfinished;

    use super::*;
    use crate::resources::memory::Memory;

    #[test]
    fn words_go_to_one_log_from_all_threads_when_there_is_no_room() {
        let work = Work::of_texts(Memory::default(), Unfinished::default());
        let spill = Spill::new(&work, "some", 100);
        assert!(spill.hold(60) && spill.hold(40) && !spill.hold(1));
        assert!(!spill.has_log());
        let offsets: Vec<u64> = std::thread::scope(|scope| {
            let shared = &spill;
            let append = |word: u64| scope.spawn(move || shared.append(&[word; 4]).unwrap());
            let threads: Vec<_> = (0..8).map(append).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        spill.let_go();
        assert!(spill.has_log() && spill.held() == 0);
        let log = spill.into_log().unwrap();
        for (word, offset) in (0..).zip(offsets) {
            let mut words = [u64::MAX; 4];
            log.read(offset, &mut words).unwrap();
            assert_eq!(words, [word; 4]);
        }
    }
}
