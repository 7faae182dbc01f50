//! Errors for clients: RFC 9457, `application/problem+json`.
//!
//! Every kind has a page on this server, to which its `type` points.

use std::path::{MAIN_SEPARATOR, Path};

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

/// Reason why a request failed.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    kind: Kind,
    detail: String,
    /// Members of this problem in addition to the standard ones.
    more: Map<String, Value>,
}

macro_rules! kinds {
    ($($kind:ident, $slug:literal, $status:ident, $title:literal, $meaning:literal;)+) => {
        /// All kinds of problems.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $(#[doc = $meaning] $kind,)+
        }

        impl Kind {
            /// All kinds, for the pages that explain them.
            pub(crate) const ALL: &[Self] = &[$(Self::$kind),+];

            /// The last component of the URL of its page.
            pub(crate) fn slug(self) -> &'static str {
                match self { $(Self::$kind => $slug),+ }
            }

            /// The HTTP status.
            pub(crate) fn status(self) -> StatusCode {
                match self { $(Self::$kind => StatusCode::$status),+ }
            }

            /// A short title that never changes.
            pub(crate) fn title(self) -> &'static str {
                match self { $(Self::$kind => $title),+ }
            }

            /// An explanation, with advice.
            pub(crate) fn meaning(self) -> &'static str {
                match self { $(Self::$kind => $meaning),+ }
            }
        }
    };
}

kinds! {
    Malformed, "malformed", BAD_REQUEST, "The request cannot be read",
        "The body is not JSON of the expected form, a field is unknown or missing, or a parameter has an impossible value. The detail says where.";
    KeyMissing, "key-missing", UNAUTHORIZED, "A key is needed",
        "This server has keys. Send one in the header Authorization: Bearer KEY.";
    KeyUnknown, "key-unknown", UNAUTHORIZED, "The key is not known",
        "The key that was sent is not one of this server: it may have been revoked.";
    ScopeTooLow, "scope-too-low", FORBIDDEN, "The key does not allow this",
        "The key is valid, but its scope is lower than what the request needs. Scopes are search, read, write and admin; each includes the previous ones.";
    ReadOnly, "read-only", FORBIDDEN, "The server is read-only",
        "This server was started to read only, and refuses everything that writes.";
    OtherOrigin, "other-origin", FORBIDDEN, "The request comes from another site",
        "A browser sent this request for a page of another site. Such requests are refused.";
    OtherHost, "other-host", MISDIRECTED_REQUEST, "The server is not known by this name",
        "The header Host must be an IP address, localhost, or a name that the server was started with.";
    NoSuchRoute, "no-such-route", NOT_FOUND, "There is nothing at this address",
        "The path is not one of this server. The description of all paths is at /openapi.json.";
    NoSuchIndex, "no-such-index", NOT_FOUND, "There is no such index",
        "No index of this server has this name. GET /v1/indexes lists them.";
    NoSuchDocument, "no-such-document", NOT_FOUND, "There is no such document",
        "No document of the index has this id.";
    NoSuchResult, "no-such-result", NOT_FOUND, "There is no such result",
        "No result of this server has this name.";
    NoSuchTask, "no-such-task", NOT_FOUND, "There is no such task",
        "No task has this number. Tasks are forgotten when the server ends, and the oldest when there are many.";
    NotAllowedHere, "method-not-allowed", METHOD_NOT_ALLOWED, "The path does not know this method",
        "The path exists, but not for this method. The header Allow lists those it knows.";
    TooSlow, "too-slow", REQUEST_TIMEOUT, "The request came too slowly",
        "The body did not arrive in time.";
    OtherParameters, "other-parameters", CONFLICT, "The index exists with other parameters",
        "Threshold, shingle, method and what is stored are fixed for the life of an index. The answer shows those it has and those that were asked for.";
    Busy, "busy", CONFLICT, "Something else is being done with the index",
        "A task of this index is running. Wait for it to end.";
    Impossible, "impossible", CONFLICT, "The index cannot do this",
        "The index or the server was not made for what was asked: for example, an index that keeps no texts cannot show passages.";
    TooLarge, "too-large", PAYLOAD_TOO_LARGE, "The body is too large",
        "The body, one line of it, or what it unpacks to is larger than this server takes, or work on it takes more memory than the server may use. Send it in several requests, or start the server with more memory.";
    OtherContent, "other-content", UNSUPPORTED_MEDIA_TYPE, "The body has an unknown type or packing",
        "Bodies are application/json, or application/x-ndjson where many are sent; plain, or packed with gzip or zstd.";
    NotPossible, "not-possible", UNPROCESSABLE_ENTITY, "The values cannot be used",
        "The body could be read, but a value in it cannot be used, such as a threshold below that of the index.";
    Internal, "internal", INTERNAL_SERVER_ERROR, "Something went wrong in the server",
        "The cause is in the log of the server.";
    Unreadable, "unreadable", INTERNAL_SERVER_ERROR, "A file of the index cannot be read",
        "A file is damaged or the disk refuses. Verify the index; what is damaged can be rebuilt from its log.";
    TooOften, "too-often", TOO_MANY_REQUESTS, "There were too many attempts",
        "Too many requests with a wrong key came from this address. Try again after the time in the header Retry-After.";
    Overloaded, "overloaded", SERVICE_UNAVAILABLE, "The server has too much to do",
        "More requests wait than the server takes, or others use all the memory that it may use. Try again after the time in the header Retry-After.";
    TookTooLong, "took-too-long", SERVICE_UNAVAILABLE, "It took too long",
        "The request was not done within its time, and was given up.";
    NotReady, "not-ready", SERVICE_UNAVAILABLE, "The server is not ready",
        "Indexes are still being opened, or the server is shutting down.";
    Poisoned, "poisoned", SERVICE_UNAVAILABLE, "The index takes no more writes",
        "An earlier write failed in a way that leaves it unknown what the disk has. Searches go on. Start the server again to write.";
    DiskFull, "disk-full", INSUFFICIENT_STORAGE, "The disk is full",
        "There is no room left on the disk. Nothing of the last batch was added. Make room and send it again.";
}

/// Delay for retries.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

impl Problem {
    /// A problem of this kind, with details of the case.
    pub(crate) fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), more: Map::new() }
    }

    /// A problem whose cause is only logged, since it names files of the server.
    pub(crate) fn logged(kind: Kind, cause: &dyn std::error::Error) -> Self {
        tracing::error!(problem = kind.slug(), %cause);
        Self::new(kind, kind.meaning())
    }

    /// Adds a member.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// The kind.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The details of the case, for people.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The JSON object sent to the client.
    pub(crate) fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("a problem is plain data")
    }
}

/// The standard members come first.
impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("type", &format!("/problems/{}", self.kind.slug()))?;
        members.serialize_entry("title", self.kind.title())?;
        members.serialize_entry("status", &self.kind.status().as_u16())?;
        members.serialize_entry("detail", &self.detail)?;
        self.more.iter().try_for_each(|(name, value)| members.serialize_entry(name, value))?;
        members.end()
    }
}

/// Removes the path of a folder from a message: clients see only names below it.
pub(crate) fn without_folder(said: &str, folder: &Path) -> String {
    let folder = folder.display().to_string();
    said.replace(&format!("{folder}{MAIN_SEPARATOR}"), "").replace(&folder, "the folder")
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.kind.status();
        let mut response = (status, Json(&self)).into_response();
        let headers = response.headers_mut();
        let mut set = |name: HeaderName, value: HeaderValue| headers.insert(name, value);
        set(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            set(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if matches!(self.kind, Kind::Overloaded | Kind::TooOften | Kind::NotReady | Kind::TookTooLong) {
            set(header::RETRY_AFTER, RETRY_SECONDS);
        }
        // For the log: clients see less detail about internal errors than the owner of the server.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<lookalike_index::Error> for Problem {
    fn from(error: lookalike_index::Error) -> Self {
        use lookalike_index::Error;
        let kind = match &error {
            Error::Io { .. } | Error::Damaged { .. } | Error::Newer { .. } | Error::NotAnIndex { .. } => {
                Kind::Unreadable
            }
            Error::DiskFull { .. } => Kind::DiskFull,
            Error::NotEmpty { .. } | Error::NoTexts { .. } | Error::OtherScheme { .. } => Kind::Impossible,
            Error::Locked { .. } => Kind::Busy,
            Error::Poisoned { .. } => Kind::Poisoned,
            Error::MethodWithoutIndex { .. }
            | Error::ThresholdTooLow { .. }
            | Error::Core(_)
            | Error::NotADocument { .. } => Kind::NotPossible,
            Error::NoSuchDocument { .. } => Kind::NoSuchDocument,
            _ => Kind::Internal,
        };
        match (kind, &error) {
            // The details name files of the server.
            (Kind::Unreadable | Kind::DiskFull | Kind::Busy | Kind::Poisoned | Kind::Internal, _)
            | (_, Error::NotEmpty { .. } | Error::NoTexts { .. }) => Self::logged(kind, &error),
            _ => Self::new(kind, error.to_string()),
        }
    }
}

/// Spells options as JSON fields.
struct JsonFields;

impl lookalike::Spelling for JsonFields {
    fn name(&self, name: &str) -> String {
        format!("\"{name}\"")
    }

    fn with_value(&self, name: &str, value: &str) -> String {
        format!("\"{name}\": \"{value}\"")
    }

    /// A search reads no files.
    fn has(&self, option: lookalike::JobOption) -> bool {
        option != lookalike::JobOption::Input
    }
}

/// Names the invalid option, so that a program can tell which of its values is wrong.
impl From<lookalike::Refused> for Problem {
    fn from(refused: lookalike::Refused) -> Self {
        Self::new(Kind::NotPossible, refused.message(&JsonFields))
            .with("option", refused.name())
            .with("refusal", refused.why().kind())
    }
}

impl From<lookalike::Error> for Problem {
    fn from(error: lookalike::Error) -> Self {
        use lookalike::Error;
        match error {
            Error::Index(error) => error.into(),
            Error::Core(error) => Self::new(Kind::NotPossible, error.to_string()),
            Error::Refused(refused) => refused.into(),
            Error::NoSuchDocument { .. } => Self::new(Kind::NoSuchDocument, error.to_string()),
            Error::NotARun { .. } => Self::logged(Kind::NoSuchResult, &error),
            error => Self::logged(Kind::Internal, &error),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_has_a_page_of_its_own() {
        let mut slugs: Vec<&str> = Kind::ALL.iter().map(|kind| kind.slug()).collect();
        slugs.sort_unstable();
        slugs.dedup();
        assert_eq!(slugs.len(), Kind::ALL.len());
        assert!(slugs.iter().all(|slug| slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
    }

    #[test]
    fn a_problem_says_what_to_send_and_when_to_try_again() {
        let response = Problem::new(Kind::KeyMissing, "a key is needed").into_response();
        assert_eq!(
            (response.status().as_u16(), &response.headers()["www-authenticate"]),
            (401, &HeaderValue::from_static("Bearer"))
        );
        let response = Problem::new(Kind::Overloaded, "1,000 requests wait").into_response();
        assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (503, &RETRY_SECONDS));
        assert_eq!(response.headers()["content-type"], "application/problem+json");
    }

    #[test]
    fn files_are_named_without_their_folder() {
        let said = without_folder("/srv/a/kept.jsonl: no such file in /srv/a", Path::new("/srv/a"));
        assert_eq!(said, "kept.jsonl: no such file in the folder");
    }

    #[test]
    fn more_members_stand_beside_the_usual_ones() {
        let problem =
            Problem::new(Kind::OtherParameters, "the threshold is 0.9").with("found", json!({"threshold": 0.9}));
        let object = problem.to_json();
        assert_eq!(object["type"], "/problems/other-parameters");
        assert_eq!((&object["status"], &object["found"]["threshold"]), (&json!(409), &json!(0.9)));
    }
}
