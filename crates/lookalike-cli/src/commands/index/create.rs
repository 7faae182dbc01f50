//! `lookalike index create`.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use lookalike::index::{CreateOptions, Index, Store};

use super::show;
use crate::commands::Done;
use crate::flags::similarity::SimilarityArguments;
use crate::show::streams::talk;

#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// Folder to create, new or empty
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// What to keep of documents besides their sketches
    #[arg(long, value_enum, default_value_t = StoreArgument::Text)]
    store: StoreArgument,
    #[command(flatten)]
    similarity: SimilarityArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StoreArgument {
    /// Their texts, to show what two documents share
    Text,
    /// Hashes of their shingles only, for texts that must not be kept: as exact, but nothing can be shown or upgraded
    Features,
}

impl CreateArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let store = match self.store {
            StoreArgument::Text => Store::Text,
            StoreArgument::Features => Store::Features,
        };
        let scheme = self.similarity.options()?;
        Index::create(&self.index, &CreateOptions { scheme: scheme.clone(), store })?;
        talk!("{}", show::created(&self.index, &scheme, store)?);
        Ok(Done::All)
    }
}
