//! Handles Ctrl-C and similar signals: the first asks the job to stop, the second ends the process.
//!
//! A job checks from time to time whether it should stop, but not while it waits for a pipe or a server. Therefore the
//! first signal also starts a timer, which ends the process as the second signal does.

use std::process;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use lookalike::io::write::Unfinished;
use lookalike::{Counted, Progress};

use crate::flags::resources;
use crate::show::streams::say_error;

/// Time for a job to stop on its own.
const GRACE: Duration = Duration::from_secs(1);

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// True if a signal is the intended way to end the command.
static IS_SERVING: AtomicBool = AtomicBool::new(false);

/// Output of the one job of this process that is not finished yet.
static UNFINISHED: LazyLock<Unfinished> = LazyLock::new(Unfinished::default);

/// Returns the registry of everything to remove if the process ends early.
pub(crate) fn unfinished() -> &'static Unfinished {
    &UNFINISHED
}

/// From here on, a signal makes the server stop, and shutdown may take its time.
#[cfg(feature = "serve")]
pub(crate) fn serve_until_asked() {
    IS_SERVING.store(true, Relaxed);
}

/// True if the user wants the job to stop.
pub(crate) fn is_asked() -> bool {
    IS_ASKED.load(Relaxed)
}

/// Waits for signals, on a separate thread.
pub(crate) fn on_signals() {
    // Without a handler, the run can still be stopped; only its unfinished files would be left behind.
    let _ = ctrlc::set_handler(|| {
        if IS_ASKED.swap(true, Relaxed) {
            end();
        }
        if IS_SERVING.load(Relaxed) {
            return;
        }
        thread::spawn(|| {
            thread::sleep(GRACE);
            end();
        });
    });
}

/// Waits for signals in a server: the first asks it to stop, however long that takes, and the second ends it.
#[cfg(feature = "serve")]
pub(crate) fn on_signals_call(stop: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        if IS_ASKED.swap(true, Relaxed) {
            process::exit(2);
        }
        stop();
    });
}

/// Ends the process, and removes incomplete output.
fn end() -> ! {
    let is_complete = unfinished().abandon();
    say_error(format_args!("\nlookalike: {}", resources::interrupted(is_complete)));
    process::exit(2);
}

/// Shows no progress, and stops on request.
pub(crate) struct Quiet;

impl Progress for Quiet {
    fn stage(&self, _: &'static str, _: Option<u64>) {}
    fn advance(&self, _: u64, _: Counted) {}
    fn finish(&self) {}

    fn is_stopped(&self) -> bool {
        is_asked()
    }

    fn unfinished(&self) -> Unfinished {
        unfinished().clone()
    }
}
