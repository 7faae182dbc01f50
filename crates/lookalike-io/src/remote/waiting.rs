//! Waits for work in progress while bytes arrive; reports when none do, and finally gives up.
//!
//! Retries, waits between them and stalls have their own limits (`patience.rs`, `client.rs`), which together would be
//! half an hour. The limit that matters to users is the time without any data.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::runtime::Pending;
use crate::problem::Problem;

/// Time after which a wait is reported, and interval between reports.
const SAID_AFTER: Duration = Duration::from_secs(5);

/// Interval at which progress is checked.
const LOOKED: Duration = Duration::from_millis(500);

/// Counts received data, for the waiting thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// Records that data was received.
    pub(super) fn beat(&self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A wait without any data for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The host, without a signature.
    pub host: String,
    /// Time until the wait is given up.
    pub left: Duration,
}

type Listener = Box<dyn Fn(&Silence) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Time of the last report: if several files wait for one host, only one report is made.
static LAST_SAID: Mutex<Option<Instant>> = Mutex::new(None);

/// Calls `listener` every few seconds while nothing is received. Only the first listener is used.
pub fn on_silence(listener: impl Fn(&Silence) + Send + Sync + 'static) {
    // A program has one terminal.
    let _ = LISTENER.set(Box::new(listener));
}

/// The subject of a wait, and its time limit without data.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) host: String,
    pub(super) patience: Duration,
    pub(super) pulse: Pulse,
}

impl Waiting {
    /// For the host of an address that can be shown.
    pub(super) fn new(shown: &str, patience: Duration) -> Self {
        let after_scheme = shown.find("://").map_or(0, |at| at + 3);
        let end = shown[after_scheme..].find('/').map_or(shown.len(), |at| after_scheme + at);
        Self { host: shown[..end].to_owned(), patience, pulse: Pulse::default() }
    }

    /// Waits for work in progress.
    pub(super) fn wait<T>(&self, pending: &Pending<T>) -> Result<T, Problem> {
        let (mut since, mut beats) = (Instant::now(), self.pulse.0.load(Relaxed));
        loop {
            match pending.wait_for(LOOKED.min(self.patience / 4)) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Disconnected) => return Err(Problem::broken_down()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = self.pulse.0.load(Relaxed);
            if now != beats {
                (since, beats) = (Instant::now(), now);
            }
            let silent = since.elapsed();
            if silent >= self.patience {
                return Err(Problem::Silent { seconds: self.patience.as_secs() });
            }
            if silent >= SAID_AFTER.min(self.patience / 2) {
                self.say(self.patience.saturating_sub(silent));
            }
        }
    }

    fn say(&self, left: Duration) {
        let Some(listener) = LISTENER.get() else { return };
        let mut last = LAST_SAID.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= SAID_AFTER) {
            *last = Some(Instant::now());
            listener(&Silence { host: self.host.clone(), left });
        }
    }
}
