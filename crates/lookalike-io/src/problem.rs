//! Problems with object stores and web servers, each with a remedy.

/// Reason why an object could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// An invalid address.
    #[error("the address cannot be understood: {cause}")]
    Address {
        /// The problem.
        cause: String,
    },
    /// Settings that are missing or contradictory.
    #[error("{cause}; check the environment variables of this store")]
    Settings {
        /// The missing or contradictory settings.
        cause: String,
    },
    /// No credentials were given, and this machine has none of its own.
    #[error(
        "no credentials found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE (with single sign-on, first `aws \
         configure export-credentials --format env`), GOOGLE_APPLICATION_CREDENTIALS, or \
         AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY; for what anyone may read, AWS_SKIP_SIGNATURE=true \
         (GOOGLE_…, AZURE_…)"
    )]
    NoCredentials,
    /// Insufficient credentials.
    #[error("access is refused ({cause}); check that the credentials are valid, and may list, read and write there")]
    Refused {
        /// The message of the store.
        cause: String,
    },
    /// The bucket or container does not exist, or has another owner.
    #[error("there is no such bucket; check its name, the account, and the endpoint (AWS_ENDPOINT_URL)")]
    NoBucket,
    /// No object with this name.
    #[error("there is no such object; check the name, or end it with / to read everything below it")]
    NotThere,
    /// A bucket in another region.
    #[error("the bucket is in another region; set AWS_REGION to its region")]
    OtherRegion,
    /// A store that cannot be reached.
    #[error("it cannot be reached ({cause}); check the name, the network, and the proxy (HTTPS_PROXY)")]
    Offline {
        /// The error of the system.
        cause: String,
    },
    /// A store that stayed busy or broken through all retries.
    #[error("the store still fails after several attempts ({cause}); try again later")]
    Busy {
        /// Its last message.
        cause: String,
    },
    /// A store that did not send any data for a long time.
    #[error(
        "nothing was received for {seconds} seconds, after several attempts; check the network, or try again later"
    )]
    Silent {
        /// Number of seconds without data.
        seconds: u64,
    },
    /// A connection that was interrupted too often.
    #[error("the connection failed repeatedly ({cause}); try again later, or over a better network")]
    Cut {
        /// The last error of the system.
        cause: String,
    },
    /// A web server that cannot list files.
    #[error("this web server does not list its files; name each file")]
    NoList,
    /// A web server that accepts no uploads.
    #[error("this web server does not accept files; write to s3://, gs:// or az://, or to a local folder")]
    ReadOnly,
    /// A file that is too large for a single request.
    #[error(
        "a file of {bytes} bytes is too large for a web server; write to s3://, gs:// or az://, or to a local folder"
    )]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// A build without support for stores.
    #[error(
        "this build of lookalike reads and writes no remote addresses; name local files, or build it with the feature `remote`"
    )]
    NotBuilt,
    /// Anything else.
    #[error("{cause}")]
    Other {
        /// The message of the store.
        cause: String,
    },
}
