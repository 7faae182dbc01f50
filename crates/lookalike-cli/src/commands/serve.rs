//! `lookalike serve`: indexes and results over HTTP, and the keys by which others may use them.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use lookalike_server::{Error, KeyFile, Limits, LogFormat, Scope, ServeOptions, Tls};

use crate::commands::Done;
use crate::commands::finished::input_of;
use crate::show::streams::{show, talk};
use crate::show::{one_line, shown_path};
use crate::{allocator, stop};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ServeArguments {
    #[command(subcommand)]
    command: Option<ServeCommand>,
    /// Indexes, or a folder of indexes, where new ones are created [default: an empty temporary index, deleted at the end]
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Folder with a result of dedup or link, or a folder of such results. Results of uploaded files are stored in the latter; without it, they are deleted at the end
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    results: Vec<PathBuf>,
    /// Address and port, or a port on the loopback address. Without --keys, only a loopback address is allowed, and every client has full access
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7811", value_parser = listen_address, help_heading = "Access")]
    listen: SocketAddr,
    /// File of keys, made by lookalike serve keys new
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    keys: Option<PathBuf>,
    /// Host name to accept in requests, in addition to the address and localhost
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    host: Vec<String>,
    /// Refuse everything that writes; another process may write to the indexes
    #[arg(long, help_heading = "Access")]
    read_only: bool,
    /// Folder for the copies of indexes that clients ask for
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    snapshots: Option<PathBuf>,
    /// Certificate chain for HTTPS, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = "Access")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = "Access")]
    tls_key: Option<PathBuf>,
    /// Memory of all requests and runs together, such as 2G, besides what the indexes take [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Resources")]
    memory: Option<u64>,
    /// Format of the request log, on standard error
    #[arg(long, value_enum, default_value_t = LogArgument::Text, help_heading = "Output")]
    log: LogArgument,
}

#[derive(Debug, Subcommand)]
enum ServeCommand {
    /// Make, list and revoke keys.
    #[command(subcommand, arg_required_else_help = true)]
    Keys(KeysCommand),
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Create a key and print it: it is not stored, and cannot be shown again.
    #[command(after_help = "Example:\n  lookalike serve keys new ingest --scope write --keys keys.jsonl")]
    New {
        /// Name of the key, in logs and to revoke it
        #[arg(value_name = "NAME")]
        name: String,
        /// Scope of the key; each includes the previous ones
        #[arg(long, value_enum, help_heading = "Access")]
        scope: ScopeArgument,
        /// File of keys, made if it does not exist
        #[arg(long, value_name = "FILE", help_heading = "Access")]
        keys: PathBuf,
    },
    /// List the names and scopes of all keys.
    #[command(after_help = "Example:\n  lookalike serve keys list --keys keys.jsonl")]
    List {
        /// File of keys
        #[arg(long, value_name = "FILE", help_heading = "Access")]
        keys: PathBuf,
    },
    /// Revoke a key: a running server refuses it within a second.
    #[command(after_help = "Example:\n  lookalike serve keys revoke ingest --keys keys.jsonl")]
    Revoke {
        /// The name of the key
        #[arg(value_name = "NAME")]
        name: String,
        /// File of keys
        #[arg(long, value_name = "FILE", help_heading = "Access")]
        keys: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScopeArgument {
    /// Search and compare
    Search,
    /// Read documents and results
    Read,
    /// Add and delete documents
    Write,
    /// Create, delete and maintain indexes
    Admin,
}

impl ScopeArgument {
    fn scope(self) -> Scope {
        match self {
            Self::Search => Scope::Search,
            Self::Read => Scope::Read,
            Self::Write => Scope::Write,
            Self::Admin => Scope::Admin,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogArgument {
    /// One line per request, for people
    Text,
    /// One JSON object per request
    Json,
    /// Nothing
    None,
}

impl ServeArguments {
    pub(crate) fn run(self) -> Result<Done> {
        if let Some(ServeCommand::Keys(command)) = self.command {
            return command.run();
        }
        allocator::give_back_what_is_large();
        let options = self.options();
        let served = lookalike_server::serve(&options, |started| {
            let stopper = started.stopper.clone();
            stop::on_signals_call(move || stopper.stop());
            // Comes first, and in a form for programs: the caller needs to know the address.
            let _ = show(|out| writeln!(out, "lookalike serve: {}", started.url));
            if let Some(folder) = &started.scratch {
                talk!("an empty index to try it with is in {}, and is removed at the end", shown_path(folder));
            }
        });
        match served {
            Err(error) => Err(with_remedy(error)),
            Ok(()) => Ok(Done::All),
        }
    }

    fn options(self) -> ServeOptions {
        let log = match self.log {
            LogArgument::Text => LogFormat::Text,
            LogArgument::Json => LogFormat::Json,
            LogArgument::None => LogFormat::None,
        };
        let mut limits = Limits::default();
        limits.memory_bytes = self.memory.unwrap_or(limits.memory_bytes);
        ServeOptions {
            folders: self.folders,
            results: self.results,
            input_of: Some(input_of),
            listen: self.listen,
            keys: self.keys,
            hosts: self.host,
            is_read_only: self.read_only,
            snapshots: self.snapshots,
            tls: self.tls_cert.zip(self.tls_key).map(|(certificate, key)| Tls { certificate, key }),
            log,
            limits,
        }
    }
}

/// Parses an address with a port, or only a port, which then belongs to this machine.
fn listen_address(given: &str) -> Result<SocketAddr, String> {
    let port = given.strip_prefix("localhost:").or_else(|| given.strip_prefix(':')).unwrap_or(given);
    if let Ok(port) = port.parse() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    given.parse().map_err(|_| "give a port, such as 7811, or an address and a port, such as 127.0.0.1:7811".to_owned())
}

/// Parses a memory limit, and checks that it is enough to serve anything.
fn memory_size(given: &str) -> Result<u64, String> {
    let bytes = lookalike::parse_size(given).ok_or("give a size, such as 500M or 4G")?;
    let least = Limits::LEAST_MEMORY;
    if bytes < least { Err(format!("give at least {}M", least / 1_000_000)) } else { Ok(bytes) }
}

/// Adds a remedy to an error, in terms of the command line.
fn with_remedy(error: Error) -> anyhow::Error {
    let remedy = match &error {
        Error::NeedsKeys { .. } => "run lookalike serve keys new, and give --keys FILE",
        Error::Listen { .. } => "give another --listen ADDRESS",
        Error::NoSuchFolder { .. } => "run lookalike index create",
        Error::Index(lookalike::index::Error::Locked { .. }) => "give --read-only to serve it meanwhile",
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}; {remedy}")
}

impl KeysCommand {
    fn run(self) -> Result<Done> {
        match self {
            Self::New { name, scope, keys } => {
                let token = KeyFile::new(&keys).add(&name, scope.scope())?;
                show(|out| writeln!(out, "{token}"))
                    .context("the key was made, and must be revoked: nobody knows it")?;
                talk!("the key '{}' is in force, and is shown only now", one_line(&name));
            }
            Self::List { keys } => {
                let all = KeyFile::new(&keys).keys()?;
                show(|out| all.iter().try_for_each(|key| writeln!(out, "{}\t{}", key.name, key.scope)))?;
            }
            Self::Revoke { name, keys } => {
                KeyFile::new(&keys).revoke(&name)?;
                talk!("revoked '{}'", one_line(&name));
            }
        }
        Ok(Done::All)
    }
}
