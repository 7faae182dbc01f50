//! Reasons why nothing of a file can be read.

/// Reason why nothing of a file is read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// It lacks the text field.
    #[error("there is no such field among {fields}")]
    NoTextField {
        /// The existing fields.
        fields: String,
    },
    /// Any other reason.
    #[error("{0}")]
    Other(String),
}

/// Maximum number of fields to list.
const NAMED: usize = 30;

/// Names for a message: the first ones, and the number of others.
pub(crate) fn listed(names: &[String]) -> String {
    let mut first: Vec<String> = names.iter().take(NAMED).cloned().collect();
    if names.len() > NAMED {
        first.push(format!("{} more", names.len() - NAMED));
    }
    let list = if first.is_empty() { "none".to_owned() } else { first.join(", ") };
    // A name may contain anything, including terminal control sequences.
    list.replace(char::is_control, " ")
}
