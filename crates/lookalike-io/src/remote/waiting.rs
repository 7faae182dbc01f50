//! Waits for what is under way, as long as bytes come; says so while none do, and gives up in the end.
//!
//! Tries, waits between them and standstill of each have bounds of their own (`patience.rs`, `client.rs`); taken
//! together these would be half an hour. What counts for the user is the time in which nothing came.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::runtime::Pending;
use crate::problem::Problem;

/// After how long a wait is worth a word, and how often.
const SAID_AFTER: Duration = Duration::from_secs(5);

/// How often is looked whether bytes came.
const LOOKED: Duration = Duration::from_millis(500);

/// Counts what comes, for who waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// Something came.
    pub(super) fn beat(&self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A wait in which nothing came for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// What is waited for, without a signature.
    pub host: String,
    /// How long until it is given up.
    pub left: Duration,
}

type Listener = Box<dyn Fn(&Silence) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// When the listener was told last: of several files that wait for one host, one says so.
static LAST_SAID: Mutex<Option<Instant>> = Mutex::new(None);

/// Calls `listener` every few seconds while nothing is received. Only the first listener is used.
pub fn on_silence(listener: impl Fn(&Silence) + Send + Sync + 'static) {
    // A program has one terminal.
    let _ = LISTENER.set(Box::new(listener));
}

/// What is waited for, and how long without a byte.
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

    /// Waits for work under way.
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
