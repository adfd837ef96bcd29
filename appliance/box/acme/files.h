// What the box keeps of its certificate from an authority, in the folder `tls` of the data folder:
//
//   acme.pem           the private key, the certificate and the chain behind it, replaced as one
//   acme-account.key   the key of the account at the authority
//   acme.json          the last attempt, for the next start and `agentbox doctor`
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/certificates.h"
#include "appliance/foundation/settings/settings.h"

namespace acme {

std::filesystem::path certificate_file(const std::filesystem::path& data);
std::filesystem::path account_file(const std::filesystem::path& data);

// Throws UsageError.
std::string text_of(const std::filesystem::path&);

// Of the certificate: ACME_NAMES, or else the host of BASE_URL.
std::vector<std::string> names_of(const agentbox::Settings&);

// The certificate in a file, and whether it is the box's own, which nobody trusts. Nothing: there is none, or it cannot
// be used.
struct HeldCertificate {
  crypto::CertificateFacts facts;
  bool is_self_signed = false;
};
std::optional<HeldCertificate> held_certificate(const std::filesystem::path& file);

void write_certificate(const std::filesystem::path& file, const crypto::CertifiedKey&);
// One that the box certifies itself.
void write_self_signed(const std::filesystem::path& file, const std::vector<std::string>& names);

// Seconds since 1970; 0: never.
struct Attempts {
  std::string directory;
  std::int64_t failures = 0;  // since the last success
  std::int64_t last_at = 0;
  std::int64_t not_before = 0;  // as the authority asked
  std::string problem;          // of the last one; a sentence
};
BOOST_DESCRIBE_STRUCT(Attempts, (), (directory, failures, last_at, not_before, problem))

// Those at this directory; none if the file is missing or unreadable.
Attempts read_attempts(const agentbox::Settings&);
void write_attempts(const std::filesystem::path& data, const Attempts&);

}  // namespace acme
