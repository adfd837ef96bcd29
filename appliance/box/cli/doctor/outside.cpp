#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/url/parse.hpp>
#include <set>

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/doctor/checks.h"
#include "appliance/foundation/outbound_policy.h"
#include "appliance/foundation/settings/settings_table.h"
#include "web/client/outbound.h"
#include "web/uri.h"

namespace agentbox::cli::doctor {

namespace {

// Providers whose address is set anyway, and which are asked only with a key.
bool is_in_use(const std::string& name, const Settings& settings) {
  if (name.starts_with("OPENROUTER_")) return !settings.openrouter_api_key.empty();
  if (name.starts_with("ANTHROPIC_")) return !settings.anthropic_api_key.empty();
  if (name.starts_with("OPENAI_")) return !settings.openai_api_key.empty();
  if (name.starts_with("GOOGLE_")) return !settings.google_api_key.empty();
  if (name.starts_with("CODEHOST_")) return !settings.codehost_client_id.empty();
  if (name.starts_with("STRIPE_")) return !settings.stripe_secret_key.empty();
  if (name.starts_with("STREAM_")) return !settings.stream_token_id.empty();
  if (name.starts_with("CDP_")) return !settings.cdp_api_key_id.empty();
  if (name.starts_with("NOTIFY_")) return !settings.notify_bot_token.empty();
  return name != "BASE_URL";
}

struct NamedHost {
  std::string setting, host;
  std::uint16_t port = 0;
};

std::uint16_t port_of(const boost::urls::url_view& url) {
  if (url.has_port()) return url.port_number();
  const std::string_view scheme(url.scheme());
  if (scheme == "syslog+tls") return 6514;
  if (scheme == "syslog+tcp" || scheme == "syslog+udp") return scheme == "syslog+tcp" ? 601 : 514;
  return scheme == "http" || scheme == "ws" ? 80 : scheme == "smtp" ? 25 : scheme == "smtps" ? 465 : 443;
}

// The host of every URL among the settings that the box would connect to, with the setting's name.
std::vector<NamedHost> hosts_of(const Settings& settings) {
  std::vector<NamedHost> hosts;
  for (const auto& setting : settings_table()) {
    if (!is_in_use(setting.name, settings)) continue;
    const auto text = setting.show(settings);  // which the parsed URL refers to
    const auto url = web::parse_uri(text);
    if (url && url->has_authority() && !url->host().empty())
      hosts.push_back({.setting = setting.name, .host = url->host_address(), .port = port_of(*url)});
  }
  return hosts;
}

Finding check_names(const Settings& settings) {
  const std::string check = "DNS";
  boost::asio::io_context io;
  boost::asio::ip::tcp::resolver resolver(io);
  std::set<std::string> asked;
  std::string unknown, refused;
  for (const auto& [setting, host, port] : hosts_of(settings)) {
    if (!asked.insert(host).second || web::is_inside(host)) continue;
    const web::CallOrigin origin{.part = "doctor"};
    if (!web::outbound().check(origin, host, port)) {
      refused += (refused.empty() ? "" : ", ") + host + " (" + setting + ")";
      continue;
    }
    boost::system::error_code failure;
    resolver.resolve(host, "443", failure);
    if (failure) unknown += (unknown.empty() ? "" : ", ") + host + " (" + setting + ")";
  }
  if (!unknown.empty())
    return {check, Level::problem, "no address for " + unknown, "check /etc/resolv.conf, or correct the setting"};
  if (!refused.empty())
    return {check, Level::problem, "EGRESS is deny, which closes the way to " + refused,
            "add them to EGRESS_ALLOW, or unset the settings"};
  if (asked.empty()) return {check, Level::ok, "no setting names a host outside of this box", {}};
  return {check, Level::ok, std::to_string(asked.size()) + " hosts have addresses", {}};
}

Finding check_model_server(const Settings& settings) {
  const std::string check = "model server";
  if (settings.local_model_url.empty()) {
    const bool has_provider = !settings.openrouter_api_key.empty() || !settings.anthropic_api_key.empty() ||
                              !settings.openai_api_key.empty() || !settings.google_api_key.empty();
    if (has_provider) return {check, Level::ok, "model calls go to a provider", {}};
    return {check, Level::note, "none is configured: the builtin model answers",
            "set LOCAL_MODEL_URL (Ollama: http://127.0.0.1:11434/v1), or a provider's key"};
  }
  web::FetchRequest request{.url = settings.local_model_url + "/models", .timeout = std::chrono::seconds(5)};
  if (!settings.local_api_key.empty())
    request.headers.emplace_back("Authorization", "Bearer " + settings.local_api_key);
  const auto answer = fetch_blocking(std::move(request));
  if (!answer)
    return {check, Level::problem, "it does not answer: " + answer.error().message,
            "start it, or correct LOCAL_MODEL_URL; it ends in /v1"};
  if (answer->status != 200)
    return {check, Level::problem, "it answers " + std::to_string(answer->status) + " to /models",
            answer->status == 401 || answer->status == 403 ? "set LOCAL_API_KEY"
                                                           : "correct LOCAL_MODEL_URL; it ends in /v1"};
  boost::system::error_code malformed;
  const auto models = boost::json::parse(answer->body, malformed);
  const auto* list = malformed || !models.is_object() ? nullptr : models.get_object().if_contains("data");
  if (list == nullptr || !list->is_array() || list->get_array().empty())
    return {check, Level::problem, "it has no model", "load one, for example with ollama pull"};
  return {check, Level::ok, "it has " + std::to_string(list->get_array().size()) + " models", {}};
}

}  // namespace

Findings check_outside(const Settings& settings) {
  web::outbound().set_policy(outbound_policy(settings));
  return {check_model_server(settings), check_names(settings)};
}

}  // namespace agentbox::cli::doctor
