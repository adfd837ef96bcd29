#include "appliance/box/acme/files.h"

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "appliance/foundation/data_folder.h"
#include "appliance/identity/site.h"

namespace acme {

namespace fs = std::filesystem;

namespace {

constexpr const char* self_signed_mark = "# self-signed by agentbox, until the authority answers\n";

fs::path attempts_file(const fs::path& data) { return data / "tls" / "acme.json"; }

}  // namespace

fs::path certificate_file(const fs::path& data) { return data / "tls" / "acme.pem"; }
fs::path account_file(const fs::path& data) { return data / "tls" / "acme-account.key"; }

std::string text_of(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::ostringstream text;
  text << input.rdbuf();
  if (!input) throw agentbox::UsageError("cannot read " + file.string() + ": check its permissions");
  return text.str();
}

std::vector<std::string> names_of(const agentbox::Settings& settings) {
  if (!settings.acme_names.empty()) return settings.acme_names;
  return {agentbox::Site(settings.base_url).host()};
}

std::optional<HeldCertificate> held_certificate(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  try {
    const auto text = text_of(file);
    return HeldCertificate{.facts = crypto::read_certificate(text),
                           .is_self_signed = text.starts_with(self_signed_mark)};
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

void write_certificate(const fs::path& file, const crypto::CertifiedKey& made) {
  agentbox::write_private_file(file, made.key + made.certificate);
}

void write_self_signed(const fs::path& file, const std::vector<std::string>& names) {
  constexpr std::chrono::days lifetime{90};
  const auto made = crypto::make_self_signed(names, lifetime);
  agentbox::write_private_file(file, self_signed_mark + made.key + made.certificate);
}

Attempts read_attempts(const agentbox::Settings& settings) {
  const auto file = attempts_file(settings.data);
  Attempts attempts;
  if (fs::exists(file)) {
    boost::system::error_code unreadable;
    const auto value = boost::json::parse(text_of(file), unreadable);
    if (const auto read = boost::json::try_value_to<Attempts>(value); !unreadable && read) attempts = *read;
  }
  if (attempts.directory != settings.acme_directory) attempts = Attempts{.directory = settings.acme_directory};
  return attempts;
}

void write_attempts(const fs::path& data, const Attempts& attempts) {
  agentbox::write_private_file(attempts_file(data), boost::json::serialize(boost::json::value_from(attempts)) + "\n");
}

}  // namespace acme
