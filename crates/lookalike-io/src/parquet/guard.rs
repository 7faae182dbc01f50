//! Calls the `parquet` crate and converts its panics to errors.
//!
//! The crate indexes and asserts on damaged files in too many places to check all of them first. This is the only place
//! where such a panic becomes an error. The default hook still prints it, as if lookalike had crashed; since hooks
//! belong to the process, a command suppresses this with [`hide_caught_panics`].

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Installs a panic hook that suppresses messages for panics that become errors, and passes all others to the previous
/// hook. Call it once, in a process that owns its standard error.
pub fn hide_caught_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !GUARDED.get() {
            before(panic);
        }
    }));
}

/// Calls `work`. The objects it used must not be used again after an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T, String> {
    let outer = GUARDED.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    match done {
        Ok(result) => result.map_err(|error| reason(&error)),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("nothing more is known");
            Err(format!("damaged: {said}"))
        }
    }
}

/// The error message without the crate's prefix.
pub(super) fn reason(error: &parquet::errors::ParquetError) -> String {
    let said = error.to_string();
    said.strip_prefix("Parquet error: ").unwrap_or(&said).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_the_next_call_goes_on() {
        let error = guarded::<()>(|| panic!("index {} out of range", 7)).unwrap_err();
        assert_eq!(error, "damaged: index 7 out of range");
        assert_eq!(guarded(|| Ok(3)), Ok(3));
        assert!(!GUARDED.get());
    }

    #[test]
    fn caught_panics_are_hidden_only_by_a_process_that_wants_it() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

        let heard = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&heard);
        let before = panic::take_hook();
        let here = std::thread::current().id();
        // Other tests panic on their own threads.
        panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == here {
                counter.fetch_add(1, SeqCst);
            } else {
                before(panic);
            }
        }));
        guarded::<()>(|| panic!("as damaged files make it do")).unwrap_err();
        assert_eq!(heard.load(SeqCst), 1, "the library has put a hook before that of its process");
        hide_caught_panics();
        guarded::<()>(|| panic!("as damaged files make it do")).unwrap_err();
        assert_eq!(heard.load(SeqCst), 1);
        let other = panic::catch_unwind(|| panic!("of somebody else"));
        assert!(other.is_err() && heard.load(SeqCst) == 2);
    }
}
