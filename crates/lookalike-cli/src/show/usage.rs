//! Messages for wrong calls, help and version.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::commands::Arguments;
use crate::show::streams::{self, talk};

/// Prints a usage error: one line with the remedy. Help and version are not errors.
pub(crate) fn usage_error(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Styled if standard output is a terminal, as clap would print it.
            let text = error.render();
            let is_terminal = io::stdout().is_terminal();
            let text = if is_terminal { text.ansi().to_string() } else { text.to_string() };
            return match streams::show_painted(|out| out.write_all(text.as_bytes())) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    talk!("lookalike: {error:#}");
                    ExitCode::from(2)
                }
            };
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return ExitCode::from(2);
        }
        _ => {}
    }
    let text = error.to_string();
    let message = text.split("\n\nUsage").next().unwrap_or(&text).split("\n\nFor more").next().unwrap_or(&text);
    let message = message.trim_start_matches("error: ").replace("\n\n  tip: ", "; ");
    let words: Vec<String> = message.split_whitespace().map(without_secrets).collect();
    talk!("lookalike: {}; see {} --help", words.join(" "), command_of(std::env::args_os().skip(1)));
    ExitCode::from(2)
}

/// The command that the user meant, as far as it was typed: `lookalike index add`.
fn command_of(typed: impl Iterator<Item = OsString>) -> String {
    let program = Arguments::command();
    let (mut command, mut names) = (&program, vec!["lookalike"]);
    for word in typed {
        let Some(inner) = command.find_subcommand(&word) else { break };
        command = inner;
        names.push(inner.get_name());
    }
    names.join(" ")
}

/// Returns a word of a message, which may quote an address, without secrets.
fn without_secrets(word: &str) -> String {
    let Some(at) = word.find("://") else { return word.to_owned() };
    let scheme = word[..at].chars().rev().take_while(char::is_ascii_alphanumeric).count();
    let (start, end) = (at - scheme, word.rfind('\'').filter(|end| *end > at).unwrap_or(word.len()));
    format!("{}{}{}", &word[..start], lookalike::io::remote::shown_path(Path::new(&word[start..end])), &word[end..])
}
