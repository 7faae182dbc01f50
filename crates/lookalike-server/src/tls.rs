//! HTTPS: converts a certificate and its key to a TLS acceptor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::error::{Error, Result};

/// PEM files for HTTPS.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate chain.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

pub(crate) fn acceptor(files: &Tls) -> Result<TlsAcceptor> {
    let unusable = |path: &Path, reason: String| Error::NotForTls { path: path.to_owned(), reason };
    let of_certificate = |error: &dyn std::fmt::Display| unusable(&files.certificate, error.to_string());
    let certificates = CertificateDer::pem_file_iter(&files.certificate).map_err(|error| of_certificate(&error))?;
    let certificates =
        certificates.collect::<std::result::Result<Vec<_>, _>>().map_err(|error| of_certificate(&error))?;
    if certificates.is_empty() {
        return Err(of_certificate(&"it has no certificate in PEM"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| unusable(&files.key, error.to_string()))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| of_certificate(&error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
