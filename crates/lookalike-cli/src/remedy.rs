//! Errors with their remedies in flags: the libraries name options, and only the command knows how they are typed.

use clap::CommandFactory;
use lookalike::{JobOption, OptionValue, Remedy};

use crate::commands::Arguments;
use crate::show::numbers;

/// An error as a person reads it, with the flags that help.
pub(crate) fn with_remedies(error: &anyhow::Error) -> String {
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
    let mut words: Vec<String> = remedies.iter().map(in_flags).collect();
    for at in (1..words.len()).rev().filter(|at| remedies[*at - 1..=*at].iter().all(is_given)) {
        words[at] = words[at].replacen("give ", "", 1);
    }
    let last = words.pop()?;
    Some(match words.len() {
        0 => last,
        1 => format!("{} or {last}", words[0]),
        _ => format!("{}, or {last}", words.join(", ")),
    })
}

fn is_given(remedy: &Remedy) -> bool {
    matches!(remedy, Remedy::Give(..) | Remedy::Replace(..))
}

fn in_flags(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Give(option, None) => format!("give {}", with_placeholder(*option)),
        Remedy::Give(option, Some(OptionValue::Word(word))) => format!("give {} {word}", flag(*option)),
        Remedy::Give(option, Some(OptionValue::Bytes(bytes))) => {
            format!("give {} {}", flag(*option), numbers::typed_bytes(*bytes))
        }
        Remedy::Raise(option) => format!("raise {}", flag(*option)),
        Remedy::Lower(option) => format!("lower {}", flag(*option)),
        Remedy::LeaveOut(option) => format!("leave out {}", flag(*option)),
        Remedy::Replace(given, left_out) => format!("give {} instead of {}", with_placeholder(*given), flag(*left_out)),
    }
}

fn flag(option: JobOption) -> String {
    match option {
        JobOption::Output => "-o".to_owned(),
        option => format!("--{}", option.name()),
    }
}

/// A flag as help shows it: `--work DIR`.
fn with_placeholder(option: JobOption) -> String {
    match (option, placeholder(option).as_deref()) {
        // One without the other is refused.
        (JobOption::Bands, _) => "--bands N and --rows N".to_owned(),
        (_, Some(placeholder)) => format!("{} {placeholder}", flag(option)),
        (_, None) => flag(option),
    }
}

/// What stands for a flag's value in the help of the first command that has the flag.
fn placeholder(option: JobOption) -> Option<String> {
    let program = Arguments::command();
    let mut flags = program.get_subcommands().flat_map(clap::Command::get_arguments);
    let found = flags.find(|flag| flag.get_long() == Some(option.name()) && flag.get_action().takes_values())?;
    Some(found.get_value_names()?.first()?.to_string())
}

#[cfg(test)]
mod tests {
    use lookalike::Memory;

    use super::*;

    #[test]
    fn every_option_that_an_error_names_is_a_flag_of_some_command() {
        let program = Arguments::command();
        for option in JobOption::ALL {
            let mut flags = program.get_subcommands().flat_map(clap::Command::get_arguments);
            assert!(flags.any(|flag| flag.get_long() == Some(option.name())), "{option:?}");
        }
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
        assert_eq!(in_flags(&Remedy::give(JobOption::Work)), "give --work DIR");
        assert_eq!(in_flags(&Remedy::Replace(JobOption::Force, JobOption::Resume)), "give --force instead of --resume");
    }
}
