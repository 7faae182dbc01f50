//! `lookalike serve` over HTTPS. The certificate of the tests is for localhost, self-signed, and public.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::service::{Answer, Service, request};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tls").join(name)
}

fn trusting() -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file("certificate.pem")).unwrap()).unwrap();
    ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

#[test]
fn https_is_spoken_and_nothing_else() {
    let folder = Folder::new();
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let arguments = ["--tls-cert", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let service = Service::start(folder.0.path(), &arguments);
    assert!(service.url.starts_with("https://127.0.0.1:"), "{}", service.url);

    let connection = ClientConnection::new(Arc::new(trusting()), "localhost".try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(connection, service.connect());
    stream.write_all(&request("GET", "/livez", &[], b"")).unwrap();
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    let answer = Answer::parse(&all);
    assert_eq!((answer.status, answer.text()), (200, "alive\n"));

    assert_eq!(service.request("GET", "/livez", &[], b"").status, 0, "plain HTTP gets no answer");
    // A client that starts a handshake and does not continue is disconnected.
    let mut silent = service.connect();
    let start = Instant::now();
    let _ = silent.read_to_end(&mut all);
    assert!(start.elapsed() < Duration::from_secs(20));
}
