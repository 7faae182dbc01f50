//! What the service says about requests, on standard error: one line each.

use std::io;

/// How requests are logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: one JSON object per line.
    Json,
    /// Not at all.
    None,
}

/// Begins to log. The first in a process decides; the process may also have a log of its own, which is used then.
pub(crate) fn start(format: LogFormat) {
    let builder = tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(tracing::Level::INFO);
    let _ = match format {
        LogFormat::Text => builder.with_target(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_target(false).try_init(),
        LogFormat::None => Ok(()),
    };
}
