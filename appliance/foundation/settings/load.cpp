#include "appliance/foundation/settings/load.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/url/parse.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/nearest.h"
#include "appliance/foundation/settings/settings_table.h"
#include "appliance/foundation/settings/toml.h"
#include "web/ascii.h"
#include "web/uri.h"

namespace agentbox {

namespace {

// "BACKEND_LISTEN (agentbox.toml, line 3) must be host:port"; a secret's value is never part of it.
void assign(Settings& settings, const Setting& setting, const std::string& value, const std::string& where) {
  if (const auto problem = setting.assign(settings, value))
    throw UsageError(setting.name + " (" + where + ") " + *problem);
}

const Setting& setting_of_key(const std::string& key, const std::string& where) {
  const auto& table = settings_table();
  const auto found = std::ranges::find(table, key, &Setting::key);
  if (found != table.end()) return *found;
  std::vector<std::string> keys;
  for (const auto& setting : table) keys.push_back(setting.key);
  const auto meant = nearest(key, keys);
  throw UsageError(where + ": unknown setting '" + key + "'" +
                   (meant ? "; did you mean '" + *meant + "'?" : ": see agentbox settings"));
}

void read_text(Settings& settings, std::istream& input, SettingSources& sources) {
  for (const auto& entry : read_toml(input)) {
    const std::string where = "line " + std::to_string(entry.line);
    const Setting& setting = setting_of_key(entry.key, where);
    assign(settings, setting, web::join(entry.values, ","), where);
    sources[setting.name] = SettingSource::file;
  }
}

void read_stream(Settings& settings, std::istream& input, const std::filesystem::path& path, SettingSources& sources) {
  try {
    read_text(settings, input, sources);
  } catch (const UsageError& error) {
    throw UsageError(path.string() + ": " + error.what());
  }
}

void read_file(Settings& settings, const std::filesystem::path& path, SettingSources& sources) {
  std::ifstream input(path);
  if (std::filesystem::is_directory(path))
    throw UsageError("the config file " + path.string() + " is a folder: name the file in it");
  if (!input) throw UsageError("cannot read the config file " + path.string() + ": check the path and its permissions");
  read_stream(settings, input, path, sources);
}

// The data folder's own, if there is one.
void read_own_file(Settings& settings, const std::filesystem::path& path, SettingSources& sources) {
  const auto text = read_folder_file(path);
  if (!text) return;
  std::istringstream input(*text);
  read_stream(settings, input, path, sources);
}

// Authorities certify by HTTP-01 and TLS-ALPN-01 whole names, and no addresses.
bool is_certifiable(const std::string& name) {
  boost::system::error_code not_an_address;
  boost::asio::ip::make_address(name, not_an_address);
  return !name.empty() && !name.starts_with('.') && !name.starts_with('[') && not_an_address;
}

// Throws UsageError.
void check_acme(const Settings& settings) {
  if (!settings.tls_cert.empty())
    throw UsageError(
        "ACME_DIRECTORY and TLS_CERT exclude each other: the certificate comes from the authority or from "
        "your files");
  auto names = settings.acme_names;
  if (const auto url = web::parse_uri(settings.base_url); names.empty() && url) names.emplace_back(url->encoded_host());
  if (names.empty()) throw UsageError("ACME_DIRECTORY needs a host name to certify: set ACME_NAMES, or BASE_URL");
  for (const auto& name : names)
    if (!is_certifiable(name))
      throw UsageError("ACME_DIRECTORY certifies host names only, and " + name +
                       " is none: set ACME_NAMES to names such as box.example.org");
  if (!settings.acme_ca.empty() && !std::ifstream(settings.acme_ca))
    throw UsageError("ACME_CA: cannot read " + settings.acme_ca + ": check the path and its permissions");
}

void check_bucket(const Settings& settings) {
  const auto need = [](const std::string& value, const char* name) {
    if (value.empty()) throw UsageError("STANDBY_S3_ENDPOINT is set: " + std::string(name) + " is needed, too");
  };
  need(settings.standby_s3_bucket, "STANDBY_S3_BUCKET");
  need(settings.standby_s3_access_key_id, "STANDBY_S3_ACCESS_KEY_ID");
  need(settings.standby_s3_secret_access_key, "STANDBY_S3_SECRET_ACCESS_KEY");
  const auto is_plain = [](char c) { return web::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '/'; };
  const auto& folder = settings.standby_s3_folder;
  if (folder.empty() || !std::ranges::all_of(folder, is_plain) || folder.starts_with('/') || folder.ends_with('/'))
    throw UsageError("STANDBY_S3_FOLDER must be letters, digits and - _ . / and neither begin nor end with /");
}

// Throws UsageError for settings that need each other.
void check_together(const Settings& settings) {
  if (settings.tls_cert.empty() != settings.tls_key.empty())
    throw UsageError("TLS_CERT and TLS_KEY belong together: set both or neither");
  if (!settings.acme_directory.empty()) check_acme(settings);
  if (!settings.http_redirect_listen.empty() && settings.tls_cert.empty() && settings.acme_directory.empty() &&
      !settings.base_url.starts_with("https://"))
    throw UsageError(
        "HTTP_REDIRECT_LISTEN needs TLS_CERT and TLS_KEY, ACME_DIRECTORY, or a BASE_URL that begins with https://");
  if (!settings.internal_api_key_next.empty() && settings.internal_api_key.empty())
    throw UsageError("INTERNAL_API_KEY_NEXT needs INTERNAL_API_KEY: set both while the key is replaced");
  if (!settings.store_url.empty() && settings.standby != "off")
    throw UsageError(
        "STANDBY copies the embedded store, and STORE_URL is set: use a standby of the PostgreSQL server instead");
  if (!settings.store_url.empty() && !settings.standby_s3_endpoint.empty())
    throw UsageError(
        "STANDBY_S3_ENDPOINT gets the changes of the embedded store, and STORE_URL is set: use pgBackRest instead");
  if (!settings.standby_s3_endpoint.empty()) check_bucket(settings);
  if (!settings.smtp_url.empty() && settings.smtp_from.empty())
    throw UsageError("SMTP_URL needs SMTP_FROM: set the address that the box's mails come from");
  const bool has_provider =
      !settings.idp_issuer.empty() && !settings.idp_client_id.empty() && !settings.idp_client_id.front().empty();
  if (settings.sign_in == "provider" && !has_provider)
    throw UsageError("SIGN_IN=provider needs IDP_ISSUER and IDP_CLIENT_ID: no user could sign in without them");
  if (!settings.break_glass_admin.empty() && settings.sign_in != "provider")
    throw UsageError(
        "BREAK_GLASS_ADMIN is for boxes with SIGN_IN=provider: elsewhere admins sign in as they are used to");
  if (!settings.audit_stream_ca.empty() && !std::ifstream(settings.audit_stream_ca))
    throw UsageError("AUDIT_STREAM_CA: cannot read " + settings.audit_stream_ca +
                     ": check the path and its permissions");
  if (!settings.payment_rpc_url.empty() &&
      (settings.payment_receiver.empty() || settings.payment_token_address.empty()))
    throw UsageError(
        "PAYMENT_RPC_URL needs PAYMENT_RECEIVER and PAYMENT_TOKEN_ADDRESS: set who is paid and in which token");
}

}  // namespace

void check_settings(const std::string& text) {
  std::istringstream input(text);
  Settings settings;
  SettingSources unread;
  read_text(settings, input, unread);
  check_together(settings);
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

Settings resolve_settings(const Flags& flags, const Environment& environment, const ConfigFile& file,
                          SettingSources* sources) {
  SettingSources found;
  const auto override_with = [&](Settings& settings, const Setting& setting) {
    if (const auto flag = flags.find(setting.name); flag != flags.end()) {
      assign(settings, setting, flag->second, "--" + setting.flag);
      found[setting.name] = SettingSource::flag;
    } else if (const auto value = environment(setting.name)) {
      assign(settings, setting, *value, "environment");
      found[setting.name] = SettingSource::environment;
    }
  };
  Settings settings;
  const Setting& data = settings_table().front();
  override_with(settings, data);
  const auto own = settings.data / config_file_name;
  if (file.own) read_own_file(settings, own, found);
  if (file.named) read_file(settings, *file.named, found);
  for (const auto& setting : settings_table()) override_with(settings, setting);
  check_together(settings);
  if (sources) *sources = std::move(found);
  return settings;
}

}  // namespace agentbox
