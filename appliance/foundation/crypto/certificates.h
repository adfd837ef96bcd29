// X.509 certificates of a private authority, and what a public one asks for, over OpenSSL: EC P-256, ECDSA with
// SHA-256.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace crypto {

// Both in PEM.
struct CertifiedKey {
  std::string certificate, key;
};

// A root that may certify servers, and no further authority. Throws std::runtime_error if OpenSSL fails.
CertifiedKey make_authority(const std::string& name, std::chrono::days lifetime);

// For these host names and IP addresses, certified by the authority. Valid from an hour ago, for clients whose clock is
// slow. Throws std::runtime_error if the authority's key does not fit its certificate, or a name cannot be certified.
CertifiedKey make_server_certificate(const CertifiedKey& authority, const std::vector<std::string>& names,
                                     std::chrono::days lifetime);

// The same for one of two programs that prove to each other who they are, in either role.
CertifiedKey make_peer_certificate(const CertifiedKey& authority, const std::string& name, std::chrono::days lifetime);

// For these host names, certified by its own key alone: what a server shows until it has a better one.
CertifiedKey make_self_signed(const std::vector<std::string>& names, std::chrono::days lifetime);

// What a server shows to a certificate authority that validates it by TLS-ALPN-01 (RFC 8737): `digest` is the SHA-256
// of the key authorization, 32 bytes.
CertifiedKey make_validation_certificate(const std::string& name, std::string_view digest);

// A new key, in PEM.
std::string make_key();

// A request (PKCS #10, in DER) for a certificate of this key, in PEM, for these host names.
std::string make_certificate_request(const std::string& key, const std::vector<std::string>& names);

// Of the first certificate in a PEM text; throws std::runtime_error if there is none.
struct CertificateFacts {
  std::chrono::sys_seconds valid_from, expires_at;
  std::vector<std::string> names;  // DNS names and IP addresses
  std::string sha256;              // of the certificate itself, as browsers show it: "AB:CD:..."
  std::string pem;                 // the certificate alone, without what surrounds it
};
CertificateFacts read_certificate(std::string_view pem);

}  // namespace crypto
