#include "appliance/box/cli/setup/own_authority.h"

#include <fstream>
#include <sstream>

#include "appliance/foundation/crypto/certificates.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::chrono::days root_lifetime{3'652}, server_lifetime{397}, renewed_before{30};

std::string read_pem(const fs::path& path) {
  std::ifstream input(path, std::ios::binary);
  std::ostringstream text;
  text << input.rdbuf();
  if (!input) throw UsageError("cannot read " + path.string() + ": check its permissions");
  return text.str();
}

crypto::CertificateFacts facts_of(const fs::path& path) {
  try {
    return crypto::read_certificate(read_pem(path));
  } catch (const std::runtime_error& error) {
    throw UsageError("cannot use " + path.string() + ": " + error.what());
  }
}

}  // namespace

void OwnAuthority::certify(const std::vector<std::string>& names) const {
  for (const auto& [there, missing] : {std::pair(root, root_key), std::pair(root_key, root)})
    if (fs::exists(there) && !fs::exists(missing))
      throw UsageError("of the authority, " + missing.string() + " is missing: put it back, or remove " +
                       there.string() + " for a new authority, which no device trusts yet");
  DataFolder(root.parent_path()).prepare("folder of certificates");
  try {
    if (!fs::exists(root) || !fs::exists(root_key)) {
      const auto made = crypto::make_authority("agentbox on " + names.front(), root_lifetime);
      write_private_file(root_key, made.key);
      write_private_file(root, made.certificate);
    }
    const auto made = crypto::make_server_certificate({.certificate = read_pem(root), .key = read_pem(root_key)}, names,
                                                      server_lifetime);
    write_private_file(server_key, made.key);
    write_private_file(server, made.certificate);
  } catch (const UsageError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw UsageError(std::string("the certificate was not made: ") + error.what());
  }
}

void OwnAuthority::renew() const {
  if (!fs::exists(server) || !fs::exists(root_key))
    throw UsageError("there is no authority in " + root.parent_path().string() + ": run agentbox setup --own-ca first");
  certify(facts_of(server).names);
}

bool OwnAuthority::needs_renewal(const Settings& settings) const {
  std::error_code unknown;
  return !settings.tls_cert.empty() && fs::equivalent(settings.tls_cert, server, unknown) && fs::exists(root_key) &&
         expires_at() < std::chrono::system_clock::now() + renewed_before;
}

std::string OwnAuthority::fingerprint() const { return facts_of(root).sha256; }
std::chrono::sys_seconds OwnAuthority::expires_at() const { return facts_of(server).expires_at; }

}  // namespace agentbox::cli
