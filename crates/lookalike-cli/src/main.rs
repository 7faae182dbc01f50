//! The `lookalike` command: arguments to options, a job, and its result for a person.
//!
//! stdout is data, stderr is talk. Exit 0 is done, 1 is done with skipped input, 2 is not done.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr, reason = "they panic when nobody reads: see show/streams.rs")]

#[cfg(feature = "serve")]
mod allocator;
mod commands;
mod flags;
mod remedy;
mod show;
mod stop;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Arguments;
use crate::show::streams::say_error;
use crate::show::{one_line, usage};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage::usage_error(&error),
    };
    if !arguments.command.has_signals_of_its_own() {
        stop::on_signals();
    }
    lookalike::io::hide_caught_panics();
    match commands::run(arguments) {
        Ok(commands::Done::All) => ExitCode::SUCCESS,
        Ok(commands::Done::WithSkipped | commands::Done::OverLimit) => ExitCode::from(1),
        Err(error) if matches!(error.downcast_ref(), Some(lookalike::Error::Stopped)) => {
            say_error(format_args!("\nlookalike: {}", flags::resources::interrupted(false)));
            ExitCode::from(2)
        }
        Err(error) => {
            say_error(format_args!("lookalike: {}", one_line(&remedy::with_remedies(&error))));
            ExitCode::from(2)
        }
    }
}
