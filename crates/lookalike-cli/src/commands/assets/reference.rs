//! The reference of all commands as Markdown: a page per command, with a link target per option.

use clap::builder::StyledStr;
use clap::{Arg, Command};

/// The pages of a program's commands, each with its name without an extension.
pub(super) fn pages(mut program: Command) -> Vec<(String, String)> {
    program.build();
    let mut pages = Vec::new();
    add_commands_of(&program, &mut pages);
    pages
}

/// Adds the page of each command that people see, and of its subcommands.
fn add_commands_of(parent: &Command, pages: &mut Vec<(String, String)>) {
    for command in parent.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        let name = command.get_bin_name().unwrap_or(command.get_name());
        pages.push((name.replace(' ', "-"), page(name, command)));
        add_commands_of(command, pages);
    }
}

fn page(name: &str, command: &Command) -> String {
    let mut text = format!("# {name}\n\n");
    text.push_str(&paragraphs(command.get_long_about().or(command.get_about())));
    let usage = command.clone().render_usage().to_string();
    text.push_str(&format!("```text\n{}\n```\n\n", usage.trim_start_matches("Usage: ").trim()));
    let subcommands: Vec<&Command> = command.get_subcommands().filter(|it| it.get_name() != "help").collect();
    if !subcommands.is_empty() {
        text.push_str("## Subcommands\n\n");
        for subcommand in subcommands {
            let name = subcommand.get_bin_name().unwrap_or(subcommand.get_name());
            let about = paragraphs(subcommand.get_about());
            text.push_str(&format!("- [{name}]({}.md): {}\n", name.replace(' ', "-"), about.trim()));
        }
        text.push('\n');
    }
    for (heading, arguments) in by_heading(command) {
        text.push_str(&format!("## {heading}\n\n"));
        arguments.iter().for_each(|argument| text.push_str(&entry(argument)));
    }
    // Examples are shown as they are typed.
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        text.push_str(&format!("## Examples\n\n```text\n{}\n```\n", after.to_string().trim_end()));
    }
    text
}

/// The arguments that people see, under the headings of `--help` and in their order.
fn by_heading(command: &Command) -> Vec<(&str, Vec<&Arg>)> {
    let mut groups: Vec<(&str, Vec<&Arg>)> = Vec::new();
    let visible = |argument: &&Arg| !argument.is_hide_set() && !argument.is_hide_long_help_set();
    for argument in command.get_arguments().filter(visible) {
        let otherwise = if argument.is_positional() { "Arguments" } else { "Options" };
        let heading = argument.get_help_heading().unwrap_or(otherwise);
        match groups.iter_mut().find(|(name, _)| *name == heading) {
            Some((_, group)) => group.push(argument),
            None => groups.push((heading, vec![argument])),
        }
    }
    groups
}

/// An argument: how it is typed, what it does, its default and its values.
fn entry(argument: &Arg) -> String {
    let id = argument.get_long().map_or_else(|| argument.get_id().to_string(), str::to_owned);
    let typed = argument.to_string();
    let short = argument.get_short().filter(|_| argument.get_long().is_some());
    let typed = short.map_or_else(|| typed.clone(), |short| format!("-{short}, {typed}"));
    let mut text = format!("### `{typed}` {{#{id}}}\n\n");
    text.push_str(&paragraphs(argument.get_long_help().or(argument.get_help())));
    let values = argument.get_possible_values();
    let values: Vec<_> = values.iter().filter(|value| !value.is_hide_set()).collect();
    if !values.is_empty() && argument.get_action().takes_values() && !argument.is_hide_possible_values_set() {
        for value in values {
            let help = value.get_help().map(|help| format!(": {}", escaped(&help.to_string()))).unwrap_or_default();
            text.push_str(&format!("- `{}`{help}\n", value.get_name()));
        }
        text.push('\n');
    }
    let defaults: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && argument.get_action().takes_values() && !argument.is_hide_default_value_set() {
        text.push_str(&format!("Default: `{}`\n\n", defaults.join(" ")));
    }
    text
}

/// A help text as paragraphs.
fn paragraphs(text: Option<&StyledStr>) -> String {
    text.map(|text| format!("{}\n\n", escaped(text.to_string().trim()))).unwrap_or_default()
}

/// The text with the marks that Markdown would take for its own.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '<' | '*' | '_' | '[' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    /// Counts words
    #[derive(Parser)]
    #[command(name = "count", bin_name = "count")]
    enum Count {
        /// Counts the words of a file
        ///
        /// A word is what `<br>` does not end.
        #[command(after_help = "Examples:\n  count words a.txt")]
        Words {
            /// The file
            file: String,
            /// Where to begin
            #[arg(short, long, default_value_t = 1, help_heading = "Place")]
            from: u32,
            #[arg(long, hide = true)]
            secret: bool,
        },
        #[command(hide = true)]
        Internal,
    }

    #[test]
    fn a_page_has_what_people_see_under_its_headings() {
        let pages = pages(Count::command());
        let [(name, text)] = &pages[..] else { panic!("{pages:?}") };
        assert_eq!(name, "count-words");
        for part in [
            "# count words",
            "A word is what `\\<br>` does not end.",
            "## Arguments\n\n### `<FILE>` {#file}",
            "## Place\n\n### `-f, --from <FROM>` {#from}\n\nWhere to begin\n\nDefault: `1`",
            "## Examples",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("secret"), "{text}");
    }
}
