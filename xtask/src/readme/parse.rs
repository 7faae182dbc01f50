//! Extracts the commands in the `console` blocks of a Markdown text.

/// One command with its expected result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// The line of the README, counted from 1.
    pub(super) line: usize,
    /// The input for a shell; several lines if a line ends in a backslash.
    pub(super) command: String,
    /// The expected exit code: 0, or the one in a comment `# exit 1` at the end.
    pub(super) exit_code: i32,
    /// The lines shown after it.
    pub(super) shown: Vec<String>,
}

/// The current block.
struct Fence {
    /// The opening marker; a line with at least this closes it.
    mark: String,
    is_console: bool,
}

/// All commands of a Markdown text, in order.
pub(super) fn examples(markdown: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut goes_on = false;
    let mut block_has_command = false;

    for (number, line) in (1..).zip(markdown.lines()) {
        let Some(open) = &fence else {
            fence = opening(line);
            (goes_on, block_has_command) = (false, false);
            continue;
        };
        if closes(line, &open.mark) {
            fence = None;
        } else if open.is_console {
            let line = line.trim_end();
            if goes_on {
                let last = examples.last_mut().expect("only a command goes on");
                last.command = format!("{}\n{line}", last.command);
                goes_on = line.ends_with('\\');
            } else if let Some(command) = line.trim_start().strip_prefix("$ ") {
                examples.push(Example { line: number, command: command.into(), exit_code: 0, shown: Vec::new() });
                goes_on = line.ends_with('\\');
                block_has_command = true;
            } else if block_has_command {
                // Lines before the first command of a block are not output.
                examples.last_mut().expect("this block has a command").shown.push(line.to_owned());
            }
        }
    }
    for example in &mut examples {
        example.exit_code = exit_code(&example.command);
    }
    examples
}

fn opening(line: &str) -> Option<Fence> {
    let line = line.trim_start();
    let length = line.chars().take_while(|&character| character == '`').count();
    let (mark, info) = line.split_at(length);
    let is_console = info.split_whitespace().next() == Some("console");
    (length >= 3).then(|| Fence { mark: mark.to_owned(), is_console })
}

fn closes(line: &str, mark: &str) -> bool {
    let line = line.trim();
    line.starts_with(mark) && line.chars().all(|character| character == '`')
}

fn exit_code(command: &str) -> i32 {
    command.rsplit_once("# exit ").and_then(|(_, code)| code.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(markdown: &str) -> Vec<String> {
        examples(markdown).into_iter().map(|example| example.command).collect()
    }

    #[test]
    fn a_command_has_the_lines_that_follow_it() {
        let found = examples("# Title\n\n```console\n$ ls  # exit 2\none\n\ntwo\n$ pwd\n```\n$ not this\n");
        let ls = Example {
            line: 4,
            command: "ls  # exit 2".into(),
            exit_code: 2,
            shown: vec!["one".into(), String::new(), "two".into()],
        };
        let pwd = Example { line: 8, command: "pwd".into(), exit_code: 0, shown: Vec::new() };
        assert_eq!(found, [ls, pwd]);
    }

    #[test]
    fn only_console_blocks_count() {
        assert_eq!(commands("```sh\n$ a\n```\n```console ignore\n$ b\n```\n"), ["b"]);
        assert_eq!(commands("````md\n```console\n$ shown, not meant\n```\n````\n"), [""; 0]);
    }

    #[test]
    fn output_before_any_command_of_a_block_belongs_to_none() {
        let found = examples("```console\n$ a\n```\n```console\nlost\n$ b\n```\n");
        assert!(found.iter().all(|example| example.shown.is_empty()));
    }

    #[test]
    fn a_backslash_goes_on_in_the_next_line() {
        assert_eq!(commands("```console\n$ a \\\n    b\nshown\n```\n"), ["a \\\n    b"]);
    }
}
