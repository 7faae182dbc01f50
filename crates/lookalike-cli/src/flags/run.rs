//! Options for running a command, whatever its result: number of threads and verbosity.

use clap::Args;
use lookalike::{Refused, ResourceRequest, Resources};

use crate::show::streams;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Resources")]
pub(crate) struct RunArguments {
    /// Number of threads [default: one per core]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true)]
    threads: Option<i64>,
    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print when each stage begins and how long it took
    #[arg(short, long, hide_short_help = true)]
    verbose: bool,
}

/// The flag of a command that prints little and uses one thread.
#[derive(Clone, Debug, Args)]
pub(crate) struct QuietArgument {
    /// Print only errors
    #[arg(short, long, help_heading = "Resources")]
    quiet: bool,
}

impl QuietArgument {
    /// Prints only errors from here on, if requested.
    pub(crate) fn apply(&self) {
        if self.quiet {
            streams::be_quiet();
        }
    }
}

/// Verbosity of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Talk {
    Quiet,
    Normal,
    Verbose,
}

/// Options that affect the run and not its result.
#[derive(Clone, Debug)]
pub(crate) struct RunOptions {
    pub(crate) resources: Resources,
    pub(crate) talk: Talk,
}

impl RunArguments {
    pub(crate) fn request(&self) -> ResourceRequest {
        let mut request = ResourceRequest::default();
        request.threads = self.threads;
        request
    }

    /// Returns the verbosity, and silences standard error from here on if the command should be quiet.
    pub(crate) fn talk(&self) -> Talk {
        if self.quiet {
            streams::be_quiet();
        }
        match (self.quiet, self.verbose) {
            (true, _) => Talk::Quiet,
            (false, true) => Talk::Verbose,
            (false, false) => Talk::Normal,
        }
    }

    /// Returns the options of a command without further limits.
    pub(crate) fn options(&self) -> Result<RunOptions, Refused> {
        Ok(RunOptions { resources: self.request().check()?, talk: self.talk() })
    }
}

impl RunOptions {
    pub(crate) fn is_quiet(&self) -> bool {
        self.talk == Talk::Quiet
    }
}
