//! Completions, manual pages and the reference of the site, generated from the arguments that are parsed.

mod reference;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::{Shell, generate_to};

use crate::commands::Arguments;

/// Writes `completions/`, `man/` and `reference/` into the folder.
pub(crate) fn write(folder: &Path) -> Result<()> {
    // What is hidden is not for people.
    let command = Arguments::command().mut_subcommand("assets", |assets| assets.name("assets").hide(true));
    let completions = folder.join("completions");
    make(&completions)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
        generate_to(shell, &mut command.clone(), "lookalike", &completions)
            .with_context(|| format!("cannot write to {}", completions.display()))?;
    }
    let man = folder.join("man");
    make(&man)?;
    clap_mangen::generate_to(command.clone(), &man).with_context(|| format!("cannot write to {}", man.display()))?;
    let pages = folder.join("reference");
    make(&pages)?;
    for (name, text) in reference::pages(command) {
        write_file(&pages.join(format!("{name}.md")), &text)?;
    }
    #[cfg(feature = "serve")]
    write_file(&pages.join("openapi.json"), lookalike_server::openapi())?;
    Ok(())
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}
