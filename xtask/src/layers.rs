//! Checks that modules import only modules of lower layers, in the order that ARCHITECTURE.md gives under "Layers".

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::workspace::Workspace;

/// Checks every crate that has a line under "Layers".
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let path = workspace.root().join("ARCHITECTURE.md");
    let architecture = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let orders = orders(&architecture);
    ensure!(!orders.is_empty(), "ARCHITECTURE.md has no order of modules under \"Layers\"");
    let mut wrong = Vec::new();
    for (name, order) in orders {
        check_folder(&workspace.root().join("crates").join(name).join("src"), None, &order, &mut wrong)?;
    }
    ensure!(wrong.is_empty(), "imports that do not point to a lower layer:\n{}", wrong.join("\n"));
    Ok(())
}

/// The modules of each crate, lowest layer first: lines `crate: module, module` of the fenced block.
fn orders(architecture: &str) -> Vec<(&str, Vec<&str>)> {
    let section = architecture.split_once("\n## Layers\n").map_or("", |(_, section)| section);
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let lines = section.split("```").nth(1).unwrap_or_default().lines();
    lines.filter_map(|line| line.split_once(": ")).map(|(name, all)| (name, all.split(", ").collect())).collect()
}

/// Checks the files of a folder; `module` is the top-level module that it belongs to, if it is not the folder of the crate.
fn check_folder(folder: &Path, module: Option<&str>, order: &[&str], wrong: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let module = module.unwrap_or(&stem);
        if path.is_dir() {
            check_folder(&path, Some(module), order, wrong)?;
        } else if !["lib", "tests"].contains(&&*stem) {
            let imports = wrong_imports(module, &fs::read_to_string(&path)?, order);
            wrong.extend(imports.iter().map(|import| format!("{}: {import}", path.display())));
        }
    }
    Ok(())
}

/// The imported modules that a file of `module` must not import.
fn wrong_imports(module: &str, text: &str, order: &[&str]) -> BTreeSet<String> {
    let Some(place) = order.iter().position(|name| *name == module) else {
        return [format!("{module} has no place in the order")].into();
    };
    let is_wrong = |name: &&str| *name != module && !order[..place].contains(name);
    let message = |name: &str| format!("{module} imports {name}");
    imports(text).into_iter().filter(is_wrong).map(message).collect()
}

/// The top-level modules that a file names, except in comments and in modules of tests.
fn imports(text: &str) -> BTreeSet<&str> {
    let mut imports = BTreeSet::new();
    let (mut is_test, mut is_group, mut before) = (false, false, "");
    for line in text.lines() {
        is_test =
            (is_test && line != "}") || (before == "#[cfg(test)]" && line.starts_with("mod ") && line.ends_with('{'));
        if !is_test && !line.trim_start().starts_with("//") {
            let named = line.split("crate::").skip(1).flat_map(first_names);
            let grouped = line.trim().split(", ").map(first_name).filter(|_| is_group);
            imports.extend(named.chain(grouped).filter(|name| is_module(name)));
            is_group = (is_group || line.ends_with("use crate::{")) && !line.ends_with("};");
        }
        before = line;
    }
    imports
}

/// The first names of a path, or of the paths in braces.
fn first_names(path: &str) -> Vec<&str> {
    match path.strip_prefix('{') {
        Some(group) => group.split(',').map(|path| first_name(path.trim())).collect(),
        None => vec![first_name(path)],
    }
}

/// The first name of a path.
fn first_name(path: &str) -> &str {
    path.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default()
}

/// True if a name is that of a module, and not of an exported type.
fn is_module(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: [&str; 3] = ["error", "corpus", "dedup"];

    fn wrong(module: &str, text: &str) -> Vec<String> {
        wrong_imports(module, text, &ORDER).into_iter().collect()
    }

    #[test]
    fn an_order_is_a_line_of_the_fenced_block() {
        let text = "# A\n\n## Layers\n\nWords: these.\n\n```text\nio: error, read\nlookalike: a\n```\n\n## B\n\n```\nc: d\n```\n";
        assert_eq!(orders(text), [("io", vec!["error", "read"]), ("lookalike", vec!["a"])]);
        assert!(orders("## Other\n").is_empty());
    }

    #[test]
    fn an_import_of_a_higher_layer_is_wrong_however_it_is_written() {
        assert!(wrong("corpus", "use crate::error::Error;\nuse crate::corpus::row;\nuse crate::Error;\n").is_empty());
        assert_eq!(wrong("corpus", "use crate::dedup::run;\n"), ["corpus imports dedup"]);
        assert_eq!(wrong("error", "fn f() {\n    crate::corpus::read(crate::dedup::X)\n}\n").len(), 2);
        assert_eq!(wrong("error", "use crate::{corpus, dedup::run};\n").len(), 2);
        assert_eq!(wrong("error", "use crate::{\n    Error, corpus,\n    dedup::run,\n};\nfn dedup() {}\n").len(), 2);
        assert_eq!(wrong("other", "").len(), 1, "every module has a place");
        assert_eq!(wrong("corpus", "use crate::other::x;\n"), ["corpus imports other"]);
    }

    #[test]
    fn comments_and_tests_may_name_every_module() {
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::dedup::run;\n}\n";
        assert!(wrong("corpus", &format!("/// See [`crate::dedup`].\n{tests}")).is_empty());
        assert_eq!(wrong("corpus", &format!("{tests}use crate::dedup::run;\n")).len(), 1);
    }
}
