//! TLS to a server, as strict as `sslmode` says.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::address::{Address, SslMode};
use crate::error::{Error, Result};

/// The settings of TLS for an address.
pub(super) fn config(address: &Address) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Verifier::new(address, provider.clone())?);
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::system(format!("TLS cannot begin ({error})")))?;
    Ok(config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Verifies the server's certificate as far as `sslmode` asks for it.
#[derive(Debug)]
struct Verifier {
    /// Verifies chain and name; `None` where any certificate will do.
    inner: Option<Arc<WebPkiServerVerifier>>,
    is_name_checked: bool,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    fn new(address: &Address, provider: Arc<CryptoProvider>) -> Result<Verifier> {
        // As libpq has it: where an authority is named, `require` verifies the chain.
        let is_checked = address.sslmode >= SslMode::VerifyCa
            || address.sslmode == SslMode::Require && address.root.is_some();
        let inner = match is_checked {
            false => None,
            true => {
                let roots = Arc::new(roots(address.root.as_deref())?);
                let built = WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build();
                Some(built.map_err(|error| Error::system(format!("TLS cannot begin ({error})")))?)
            }
        };
        Ok(Verifier { inner, is_name_checked: address.sslmode == SslMode::VerifyFull, provider })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(inner) = &self.inner else { return Ok(ServerCertVerified::assertion()) };
        match inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is verified last, when all else is well.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.is_name_checked => Ok(ServerCertVerified::assertion()),
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The trusted authorities: those in the named file alone, or the system's.
fn roots(named: Option<&Path>) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let Some(file) = named else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return match roots.is_empty() {
            false => Ok(roots),
            true => Err(Error::refused("this system trusts no authority for certificates")
                .advise("install its ca-certificates, or name a file by sslrootcert=")),
        };
    };
    let wrong = |error: &dyn std::fmt::Display| {
        Error::refused(format!("the certificates cannot be read ({error})")).in_file(file)
    };
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
        let certificate = certificate.map_err(|error| wrong(&error))?;
        roots.add(certificate).map_err(|error| wrong(&error))?;
    }
    match roots.is_empty() {
        false => Ok(roots),
        true => Err(Error::refused("there is no certificate in the file of sslrootcert").in_file(file)),
    }
}

/// The fault of a server's certificate, in words.
pub(super) fn fault(error: &rustls::Error) -> String {
    let rustls::Error::InvalidCertificate(error) = error else { return error.to_string() };
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired".to_owned(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another name".to_owned()
        }
        CertificateError::UnknownIssuer => "nobody who is trusted here has signed it".to_owned(),
        error => error.to_string(),
    }
}
