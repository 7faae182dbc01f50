//! Converts errors of `object_store` to a [`Problem`].
//!
//! These errors print the whole address with its signature, so only the innermost one is ever shown.

use std::error::Error as StdError;

use object_store::client::{HttpError, HttpErrorKind};

use crate::problem::Problem;

/// The machine has no credentials of its own: marks the end of the search for them.
#[derive(Debug, thiserror::Error)]
#[error("no credentials found")]
pub(super) struct NoOwnCredentials;

/// The host never answered: marks that retrying is useless.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NeverAnswered(pub(super) String);

impl Problem {
    /// The problem that caused an error.
    pub(super) fn of(error: &object_store::Error) -> Self {
        use object_store::Error;
        if find::<NoOwnCredentials>(error).is_some() {
            return Self::NoCredentials;
        }
        if let Some(NeverAnswered(cause)) = find(error) {
            return Self::Offline { cause: cause.clone() };
        }
        let cause = innermost(error);
        // A missing bucket is only visible in the text of the response.
        if ["NoSuchBucket", "ContainerNotFound", "bucket does not exist"].iter().any(|code| cause.contains(code)) {
            return Self::NoBucket;
        }
        match error {
            Error::NotFound { .. } => Self::NotThere,
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Self::Refused { cause: said(&cause) },
            Error::InvalidPath { .. } => Self::Address { cause },
            _ if cause.contains("redirect without LOCATION") => Self::OtherRegion,
            _ => match status(&cause) {
                Some(301 | 307) => Self::OtherRegion,
                Some(401 | 403) => Self::Refused { cause: said(&cause) },
                Some(405 | 501) => Self::NoList,
                Some(408 | 429 | 500..) => Self::Busy { cause: said(&cause) },
                Some(_) => Self::Other { cause: said(&cause) },
                None => {
                    find::<HttpError>(error).map_or_else(|| Self::Other { cause: said(&cause) }, Self::of_connection)
                }
            },
        }
    }

    /// The problem that caused a connection to fail.
    pub(super) fn of_connection(error: &HttpError) -> Self {
        if find::<NoOwnCredentials>(error).is_some() {
            return Self::NoCredentials;
        }
        let cause = gist(error);
        match error.kind() {
            _ if find::<NeverAnswered>(error).is_some() => Self::Offline { cause },
            HttpErrorKind::Connect => Self::Offline { cause },
            _ => Self::Cut { cause },
        }
    }

    /// The problem of an unexpected status from a web server.
    pub(super) fn of_status(status: u16, body: &str) -> Self {
        let cause = said(&format!("{status} {body}"));
        match status {
            404 | 410 => Self::NotThere,
            401 | 403 => Self::Refused { cause },
            408 | 429 | 500.. => Self::Busy { cause },
            _ => Self::Other { cause },
        }
    }

    /// Work that ended without a result.
    pub(super) fn broken_down() -> Self {
        Self::Other {
            cause: "the request broke down; this is a mistake in lookalike or in the answer of the store".to_owned(),
        }
    }
}

/// A short description of an error, without an address.
pub(super) fn gist(error: &(dyn StdError + 'static)) -> String {
    said(&innermost(error))
}

/// The first error of a type in a chain of causes.
fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    std::iter::successors(Some(error), |&error| error.source()).find_map(|error| error.downcast_ref())
}

/// The message of the innermost cause.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    std::iter::successors(Some(error), |&error| error.source()).last().map(ToString::to_string).unwrap_or_default()
}

/// The HTTP status in a message of `object_store`, which has it nowhere else.
fn status(cause: &str) -> Option<u16> {
    cause.split_once("status code: ")?.1.get(..3)?.parse().ok()
}

/// A summary of a response: the code and message of an XML response, or the first line, shortened.
fn said(cause: &str) -> String {
    const MOST: usize = 200;
    let tag = |name: &str| {
        let rest = cause.split_once(&format!("<{name}>"))?.1;
        Some(rest.split_once("</")?.0)
    };
    let start = cause.split('<').next().unwrap_or_default();
    let gist = match (tag("Code"), tag("Message")) {
        (Some(code), Some(message)) => format!("{start}{code}: {message}"),
        (Some(code), None) => format!("{start}{code}"),
        _ => start.lines().next().unwrap_or_default().to_owned(),
    };
    let gist = gist.replace("Server returned non-2xx status code: ", "");
    gist.trim().trim_end_matches(':').chars().filter(|letter| !letter.is_control()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_says_is_told_in_short() {
        let answer = "Server returned non-2xx status code: 403 Forbidden: <?xml version=\"1.0\"?><Error><Code>InvalidAccessKeyId</Code>\
                      <Message>no such key</Message></Error>";
        assert_eq!(said(answer), "403 Forbidden: InvalidAccessKeyId: no such key");
        assert_eq!(said("Server returned non-2xx status code: 503 Service Unavailable: "), "503 Service Unavailable");
        assert_eq!(said(&"x".repeat(9000)).len(), 200);
        assert_eq!(status(answer), Some(403));
    }

    #[test]
    fn a_missing_bucket_is_not_a_missing_object() {
        let not_found = |text: &str| object_store::Error::NotFound { path: "k".to_owned(), source: text.into() };
        assert_eq!(Problem::of(&not_found("404: <Code>NoSuchBucket</Code>")), Problem::NoBucket);
        assert_eq!(Problem::of(&not_found("404: <Code>NoSuchKey</Code>")), Problem::NotThere);
    }

    #[test]
    fn a_connection_is_not_an_answer() {
        let generic = |source: HttpError| object_store::Error::Generic { store: "S3", source: source.into() };
        let connect = HttpError::new(HttpErrorKind::Connect, std::io::Error::other("refused"));
        assert_eq!(Problem::of(&generic(connect)), Problem::Offline { cause: "refused".to_owned() });
        let none = HttpError::new(HttpErrorKind::Unknown, NoOwnCredentials);
        assert_eq!(Problem::of(&generic(none)), Problem::NoCredentials);
    }
}
