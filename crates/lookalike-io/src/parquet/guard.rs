//! A call into the `parquet` crate to its result, also when it panics.
//!
//! The crate indexes and asserts where damaged files lead it, and in too many places to check all of them before. This
//! is the one place where such a panic becomes an error. The default hook would print it as if lookalike were broken, so
//! the first call puts a hook before the one that is there: it is silent on a thread inside a guarded call, and else passes on.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Calls `work`. What it was working on must not be used again after an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T, String> {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                before(panic);
            }
        }));
    });
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

/// What went wrong, without the crate's own prefix.
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
}
