#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <boost/algorithm/string/join.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "appliance/box/acme/files.h"
#include "appliance/box/cli/doctor/checks.h"

namespace agentbox::cli::doctor {

namespace {

namespace fs = std::filesystem;

template <auto Free>
struct FreeBy {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using File = std::unique_ptr<BIO, FreeBy<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, FreeBy<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;

constexpr int renewal_days = 21;

// A key with a passphrase is refused as by the listener, instead of asking on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

Finding check_own(const Settings& settings) {
  const std::string check = "certificate";
  const File certificate_file(BIO_new_file(settings.tls_cert.c_str(), "r")),
      key_file(BIO_new_file(settings.tls_key.c_str(), "r"));
  ERR_clear_error();
  if (!certificate_file || !key_file)
    return {check, Level::problem, "TLS_CERT or TLS_KEY cannot be read", "check the paths and their permissions"};
  const Certificate certificate(PEM_read_bio_X509(certificate_file.get(), nullptr, no_passphrase, nullptr));
  const Key key(PEM_read_bio_PrivateKey(key_file.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  if (!certificate || !key)
    return {check, Level::problem, "TLS_CERT or TLS_KEY is not PEM, or the key has a passphrase",
            "convert them with openssl x509 and openssl pkey"};
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return {check, Level::problem, "TLS_KEY is not the key of TLS_CERT",
            "the first certificate of TLS_CERT must be the one made for this key"};
  }
  int days = 0, seconds = 0;
  ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get()));
  if (days < 0 || seconds < 0)
    return {check, Level::problem, "TLS_CERT has expired", "renew it, then reload it: kill -HUP PID"};
  if (X509_cmp_current_time(X509_get0_notBefore(certificate.get())) > 0)
    return {check, Level::problem, "TLS_CERT is not valid yet", "check the clock"};
  const auto found = "TLS_CERT is valid for " + std::to_string(days) + " more days";
  if (days < renewal_days) return {check, Level::warning, found, "renew it, then reload it: kill -HUP PID"};
  return {check, Level::ok, found, {}};
}

Finding check_acme(const Settings& settings) {
  const std::string check = "certificate";
  const auto attempts = acme::read_attempts(settings);
  const auto held = acme::held_certificate(acme::certificate_file(settings.data));
  const auto cause = attempts.problem.empty() ? std::string() : ": " + attempts.problem;
  const auto advice = "the authority must reach this box by its names (" +
                      boost::algorithm::join(acme::names_of(settings), ", ") +
                      ") on port 443, or on port 80 with HTTP_REDIRECT_LISTEN; the box tries again by itself";
  if (!held) return {check, Level::note, "there is none of the authority yet: the box gets one when it runs", {}};
  if (held->is_self_signed)
    return {check, Level::problem, "the box is self-signed until the authority certifies it" + cause, advice};
  const auto left = std::chrono::floor<std::chrono::days>(held->facts.expires_at - std::chrono::system_clock::now());
  if (left.count() < 0) return {check, Level::problem, "the authority's certificate has expired" + cause, advice};
  const auto found = "the authority's is valid for " + std::to_string(left.count()) + " more days";
  if (!attempts.problem.empty()) return {check, Level::warning, found + ", and was not renewed" + cause, advice};
  return {check, Level::ok, found, {}};
}

Finding check_authorities() {
  const char* named = std::getenv("SSL_CERT_FILE");
  if (named != nullptr) {
    if (fs::is_regular_file(named)) return {"authorities", Level::ok, std::string(named) + " is there", {}};
    return {"authorities", Level::problem, "SSL_CERT_FILE names " + std::string(named) + ", which is missing",
            "correct it: no outgoing connection by https works"};
  }
  if (fs::exists("/etc/ssl/certs/ca-certificates.crt"))
    return {"authorities", Level::ok, "the machine's are there", {}};
  return {"authorities", Level::warning, "the machine has none: outgoing connections by https are refused",
          "apt-get install ca-certificates"};
}

}  // namespace

Findings check_certificates(const Settings& settings) {
  Findings findings;
  if (!settings.acme_directory.empty()) {
    findings.push_back(check_acme(settings));
  } else if (!settings.tls_cert.empty()) {
    findings.push_back(check_own(settings));
  } else if (!settings.web_listen.starts_with("127.") && !settings.web_listen.starts_with("[::1]") &&
             !settings.web_listen.starts_with("localhost:") && !settings.base_url.starts_with("https://")) {
    findings.push_back({"certificate", Level::warning,
                        "passwords cross the network in clear: WEB_LISTEN is reachable without TLS",
                        "set TLS_CERT and TLS_KEY, or a proxy with TLS in front and BASE_URL to its https address"});
  }
  findings.push_back(check_authorities());
  return findings;
}

}  // namespace agentbox::cli::doctor
