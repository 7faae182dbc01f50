//! Errors with their remedies in flags: the libraries name options, and only the command knows how they are typed.

use clap::CommandFactory;
use lookalike::core::remedy::in_words;
use lookalike::{JobOption, Refused, Remedy, Spelling};

use crate::commands::Arguments;

/// An error as a person reads it, with the flags that help.
pub(crate) fn with_remedies(error: &anyhow::Error) -> String {
    let refused = error.chain().find_map(|cause| match cause.downcast_ref() {
        Some(lookalike::Error::Refused(refused)) => Some(refused),
        _ => cause.downcast_ref::<Refused>(),
    });
    if let Some(refused) = refused {
        let before = error.chain().map(ToString::to_string).take_while(|said| *said != refused.to_string());
        return before.chain([refused.message(&Flags)]).collect::<Vec<_>>().join(": ");
    }
    let remedies = error.chain().find_map(|cause| {
        let of_job = cause.downcast_ref::<lookalike::Error>().map(lookalike::Error::remedies);
        let of_io = || cause.downcast_ref::<lookalike::io::Error>().map(lookalike::io::Error::remedies);
        let of_core = || cause.downcast_ref::<lookalike::core::Error>().map(lookalike::core::Error::remedies);
        of_job.or_else(of_io).or_else(of_core)
    });
    match worded(&remedies.unwrap_or_default()) {
        Some(remedies) => format!("{}; {remedies}", with_causes(error)),
        None => with_causes(error),
    }
}

/// Options as they are typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags;

impl Spelling for Flags {
    fn name(&self, name: &str) -> String {
        match JobOption::of_name(name) {
            Some(JobOption::Inputs) => "INPUT".to_owned(),
            Some(JobOption::Output) => "-o".to_owned(),
            Some(option) => format!("--{}", long_name(option)),
            None => format!("--{}", name.replace('_', "-")),
        }
    }

    fn option(&self, option: JobOption) -> String {
        match option {
            // Positional; `--text` is the field of documents.
            JobOption::Query => "a text".to_owned(),
            option => self.name(option.name()),
        }
    }

    fn with_value(&self, name: &str, value: &str) -> String {
        format!("{} {value}", self.name(name))
    }

    /// A flag as help shows it: `--work DIR`.
    fn to_give(&self, option: JobOption) -> String {
        match placeholder(option) {
            Some(placeholder) => self.with_value(option.name(), &placeholder),
            None => self.option(option),
        }
    }
}

/// An error and its causes. Some end with their cause by themselves: nobody reads it twice.
fn with_causes(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.ends_with(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
}

/// Alternatives in flags; none if there is nothing to say.
pub(crate) fn worded(remedies: &[Remedy]) -> Option<String> {
    in_words(remedies, &Flags)
}

/// The name of an option as a flag, without hyphens before it.
fn long_name(option: JobOption) -> String {
    match option {
        // `for` is a keyword of Python and Rust, so that only the command has it.
        JobOption::Purpose => "for".to_owned(),
        option => option.name().replace('_', "-"),
    }
}

/// Settings of a purpose, `threshold=0.4 ignore_boilerplate=true`, as flags.
pub(crate) fn as_flags(settings: &str) -> String {
    let flag = |setting: &str| {
        let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
        let name = name.replace('_', "-");
        if value == "true" { format!("--{name}") } else { format!("--{name} {value}") }
    };
    settings.split(' ').map(flag).collect::<Vec<_>>().join(" ")
}

/// Placeholder of a flag's value in the help of the first command that has the flag.
fn placeholder(option: JobOption) -> Option<String> {
    let program = Arguments::command();
    let mut flags = program.get_subcommands().flat_map(clap::Command::get_arguments);
    let found = flags.find(|flag| flag.get_long() == Some(&*long_name(option)) && flag.get_action().takes_values())?;
    Some(found.get_value_names()?.first()?.to_string())
}

#[cfg(test)]
mod tests {
    use lookalike::Memory;

    use super::*;

    #[test]
    fn every_option_that_an_error_names_is_a_flag_of_some_command() {
        for option in JobOption::all().filter(|option| *option != JobOption::Inputs) {
            assert!(flags(&Arguments::command()).contains(&long_name(option)), "{option:?}");
        }
    }

    /// The long names of the flags of a command and of those below it.
    fn flags(command: &clap::Command) -> Vec<String> {
        let own = command.get_arguments().filter_map(|flag| flag.get_long().map(str::to_owned));
        own.chain(command.get_subcommands().flat_map(flags)).collect()
    }

    #[test]
    fn an_error_of_any_crate_gets_its_remedy_in_flags() {
        let job: anyhow::Error = Memory::new(1000).unwrap_err().into();
        assert!(with_remedies(&job).ends_with(" are needed; give --memory 64M"), "{}", with_remedies(&job));
        let io = lookalike::io::Error::WorkUnfinished { path: "work".into() };
        assert_eq!(
            with_remedies(&io.into()),
            "work holds an unfinished run: resume it, or discard it; give --resume or --force"
        );
        let core = lookalike::core::Error::RecallOutOfReach { threshold: 0.01, recall: 0.99, most: 1024 };
        let core = anyhow::Error::from(core).context("the method 'minhash'");
        let remedies = "; raise --threshold, lower --recall, or give --bands N and --rows N";
        assert!(with_remedies(&core).starts_with("the method 'minhash': ") && with_remedies(&core).ends_with(remedies));
    }

    #[test]
    fn an_error_without_a_remedy_is_left_as_it_is() {
        assert_eq!(with_remedies(&anyhow::anyhow!("no")), "no");
    }

    #[test]
    fn a_flag_has_its_placeholder_and_one_without_a_value_has_none() {
        assert_eq!(worded(&[Remedy::give(JobOption::Work)]).unwrap(), "give --work DIR");
        let replaced = [Remedy::Replace(JobOption::Force, JobOption::Resume)];
        assert_eq!(worded(&replaced).unwrap(), "give --force instead of --resume");
    }
}
