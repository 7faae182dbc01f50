//! Ctrl-C and its like: the first asks the job to stop, the second ends the process.
//!
//! A job looks now and then whether it should stop, and does not while it waits for a pipe or a server. So the first signal
//! also starts a clock, which ends the process as the second signal does.

use std::process;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use lookalike::io::write::Unfinished;
use lookalike::{Counted, Progress};

use crate::flags::resources;
use crate::show::streams::say_error;

/// How long a job has to stop by itself.
const GRACE: Duration = Duration::from_secs(1);

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Whether a signal is how the command is meant to end.
static IS_SERVING: AtomicBool = AtomicBool::new(false);

/// What the one job of this process is making.
static UNFINISHED: LazyLock<Unfinished> = LazyLock::new(Unfinished::default);

/// Where everything is noted that is to be removed when the process ends early.
pub(crate) fn unfinished() -> &'static Unfinished {
    &UNFINISHED
}

/// From now on a signal ends what is served, and what comes after it takes its time.
#[cfg(feature = "serve")]
pub(crate) fn serve_until_asked() {
    IS_SERVING.store(true, Relaxed);
}

/// Whether the user wants the job to stop.
pub(crate) fn is_asked() -> bool {
    IS_ASKED.load(Relaxed)
}

/// Waits for signals, on a thread of their own.
pub(crate) fn on_signals() {
    // Without a handler the run can still be ended; only what it has begun would be left behind.
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

/// Waits for signals in a process that serves others: the first asks it to stop, however long that takes, and the second ends it.
#[cfg(feature = "serve")]
pub(crate) fn on_signals_call(stop: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(move || {
        if IS_ASKED.swap(true, Relaxed) {
            process::exit(2);
        }
        stop();
    });
}

/// Ends the process, and removes what is not complete.
fn end() -> ! {
    let is_complete = unfinished().abandon();
    say_error(format_args!("\nlookalike: {}", resources::interrupted(is_complete)));
    process::exit(2);
}

/// Shows nothing, and stops when it is asked to.
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
