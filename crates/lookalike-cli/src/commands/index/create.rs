//! `lookalike index create`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::CreateRequest;
use lookalike::index::{Index, Store};

use super::show;
use crate::commands::Done;
use crate::flags::output::SummaryArguments;
use crate::flags::run::QuietArgument;
use crate::flags::scheme::SchemeArguments;
use crate::flags::words::described;

#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// Folder to create, new or empty
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// Data to keep of each document besides its sketch [default: text]
    #[arg(long, value_name = "WHAT", value_parser = described::<Store>(&STORES), help_heading = "Output")]
    store: Option<Store>,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    #[command(flatten)]
    quiet: QuietArgument,
}

/// In the order of the variants in the library.
const STORES: [&str; 2] = [
    "Their texts, to show what two documents share",
    "Hashes of their shingles only, for texts that must not be kept: as exact, but nothing can be shown or upgraded",
];

impl CreateArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let mut request = CreateRequest::default();
        request.scheme = self.scheme.request()?;
        request.store = self.store;
        let options = request.check()?;
        let stat = Index::create(&self.index, &options)?.snapshot()?.stat();
        self.quiet.apply();
        let created = show::created(&self.index, &options.scheme, options.store);
        self.summary.print_or_say(&stat, format_args!("{created}"))?;
        Ok(Done::All)
    }
}
