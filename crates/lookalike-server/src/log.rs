//! Logs requests on standard error, one line each.

use std::io;

/// Format of request logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: one JSON object per line.
    Json,
    /// No logs.
    None,
}

/// Starts logging. The first call in a process decides; if the process already has a logger, that is used.
pub(crate) fn start(format: LogFormat) {
    let builder = tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(tracing::Level::INFO);
    let _ = match format {
        LogFormat::Text => builder.with_target(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_target(false).try_init(),
        LogFormat::None => Ok(()),
    };
}
