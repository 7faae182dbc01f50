//! The generated part of the site: commands, JSON Schemas, the HTTP API and the Python package.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

use crate::workspace::{Workspace, succeed};

/// Writes the pages into the folder.
pub(super) fn write(workspace: &Workspace, folder: &Path) -> Result<()> {
    let lookalike = workspace.build_lookalike()?;
    let assets = workspace.target().join("site").join("assets");
    succeed(Command::new(&lookalike).arg("assets").arg(&assets))?;
    fs::create_dir_all(folder)?;
    commands(&assets.join("reference"), folder)?;
    schemas(&lookalike, folder)?;
    fs::write(folder.join("http.md"), "# HTTP\n\n[OAD(./openapi.json)]\n")?;
    fs::write(folder.join("python.md"), "# Python\n\n::: lookalike\n")?;
    Ok(())
}

/// A page per command, and a list of them.
fn commands(generated: &Path, folder: &Path) -> Result<()> {
    let pages = folder.join("commands");
    fs::create_dir_all(&pages)?;
    let mut list = String::from("# Commands\n\n");
    let mut names: Vec<_> = generated.read_dir()?.map(|entry| Ok(entry?.file_name())).collect::<Result<_>>()?;
    names.sort();
    for name in names {
        let (from, name) = (generated.join(&name), name.to_string_lossy().into_owned());
        let Some(page) = name.strip_suffix(".md") else {
            fs::copy(&from, folder.join(&name))?;
            continue;
        };
        let text = fs::read_to_string(&from)?;
        let mut lines = text.lines().filter(|line| !line.is_empty());
        let title = lines.next().and_then(|line| line.strip_prefix("# ")).context("a page begins with its title")?;
        let about = lines.next().context("a command says what it does")?;
        list.push_str(&format!("- [{title}](commands/{page}.md): {about}\n"));
        fs::write(pages.join(&name), text)?;
    }
    fs::write(folder.join("commands.md"), list)?;
    Ok(())
}

/// The JSON Schema of each output, and a list of them.
fn schemas(lookalike: &Path, folder: &Path) -> Result<()> {
    let output = Command::new(lookalike).arg("schema").output().context("lookalike schema")?;
    ensure!(output.status.success(), "lookalike schema: {}", output.status);
    let all: Map<String, Value> = serde_json::from_slice(&output.stdout).context("lookalike schema prints JSON")?;
    let schemas = folder.join("schemas");
    fs::create_dir_all(&schemas)?;
    let mut list = String::from("# JSON Schemas\n\n`lookalike schema NAME` prints each of them.\n\n");
    for (name, schema) in &all {
        fs::write(schemas.join(format!("{name}.json")), serde_json::to_string_pretty(schema)?)?;
        let about = schema["description"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
        list.push_str(&format!("- [{name}](schemas/{name}.json): {about}\n"));
    }
    fs::write(folder.join("schemas.md"), list)?;
    Ok(())
}
