// The root certificate of a box with an authority of its own, for the devices that are to trust it.
#include <fstream>
#include <sstream>

#include "appliance/box/module.h"
#include "appliance/box/tls_authority/routes.h"
#include "appliance/foundation/crypto/certificates.h"

namespace tls_authority {

namespace {

// Only the certificate: the file may hold its key, too.
std::optional<std::string> certificate_in(const std::string& file) {
  if (file.empty()) return std::nullopt;
  std::ifstream input(file);
  std::ostringstream text;
  text << input.rdbuf();
  try {
    return crypto::read_certificate(text.str()).pem;
  } catch (const std::runtime_error& error) {
    throw agentbox::UsageError("TLS_CA: cannot use " + file + ": " + error.what());
  }
}

struct Parts {
  explicit Parts(box::Module& module) : certificate(certificate_in(module.platform.settings.tls_ca)) {}
  Services services() { return {certificate}; }

  const std::optional<std::string> certificate;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace tls_authority
