#include "appliance/foundation/settings/settings.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/foundation/settings/toml.h"
#include "web/byte_table.h"
#include "web/trusted_proxies.h"

namespace agentbox {

namespace {

using Problem = std::optional<std::string>;

std::string with(std::string text, char from, char to, bool lower) {
  for (char& c : text) {
    if (c == from) c = to;
    if (lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    const auto first = item.find_first_not_of(" \t");
    if (first != std::string::npos) items.push_back(item.substr(first, item.find_last_not_of(" \t") - first + 1));
    begin = end + 1;
  }
  return items;
}

std::string join(const std::vector<std::string>& items, std::string_view between = ",") {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += between;
    text += item;
  }
  return text;
}

std::optional<std::uint64_t> whole(std::string_view text, std::uint64_t lowest, std::uint64_t highest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest || value > highest) return {};
  return value;
}

std::string range(std::uint64_t lowest, std::uint64_t highest) {
  return "must be a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest);
}

// What the kinds of settings have in common; each function below is one kind.
Setting row(std::string name, std::string type, std::string help) {
  return {.name = name,
          .type = std::move(type),
          .help = std::move(help),
          .flag = with(name, '_', '-', true),
          .key = with(name, '_', '_', true)};
}

Setting text(std::string name, std::string Settings::*member, std::string help, std::string type = "text") {
  Setting setting = row(std::move(name), std::move(type), std::move(help));
  setting.assign = [member](Settings& settings, const std::string& value) -> Problem {
    settings.*member = value;
    return {};
  };
  setting.show = [member](const Settings& settings) { return settings.*member; };
  return setting;
}

Setting secret(std::string name, std::string Settings::*member, std::string help) {
  Setting setting = text(std::move(name), member, std::move(help), "secret");
  setting.secret = true;
  return setting;
}

// The check runs before a text is stored.
Setting checked(Setting setting, std::function<Problem(const std::string&)> check) {
  setting.assign = [check = std::move(check), store = std::move(setting.assign)](Settings& settings,
                                                                                 const std::string& value) -> Problem {
    if (auto problem = check(value)) return problem;
    return store(settings, value);
  };
  return setting;
}

Setting address(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "host:port"), [](const std::string& value) -> Problem {
    const auto colon = value.rfind(':');
    if (colon == std::string::npos || colon == 0 || !whole(std::string_view(value).substr(colon + 1), 0, 65535))
      return "must be host:port, such as 127.0.0.1:3000 (port 0 picks a free one)";
    return {};
  });
}

Setting url(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "URL"), [](const std::string& value) -> Problem {
    if (value.empty() || value.starts_with("http://") || value.starts_with("https://")) return {};
    return "must begin with http:// or https://";
  });
}

Setting domain(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "domain"), [](const std::string& value) -> Problem {
    const auto is_of_a_name = [](char c) {
      return web::is_alphanumeric(static_cast<unsigned char>(c)) || c == '-' || c == '.';
    };
    if (!value.empty() && std::ranges::all_of(value, is_of_a_name) && value.front() != '.') return {};
    return "must be a domain, such as agents.example.org";
  });
}

Setting choice(std::string name, std::string Settings::*member, std::vector<std::string> choices, std::string help) {
  std::string type = join(choices, "|");
  return checked(text(std::move(name), member, std::move(help), type),
                 [choices = std::move(choices)](const std::string& value) -> Problem {
                   if (std::ranges::find(choices, value) != choices.end()) return {};
                   return "must be one of: " + join(choices, ", ");
                 });
}

Setting boolean(std::string name, bool Settings::*member, std::string help) {
  Setting setting = row(std::move(name), "on|off", std::move(help));
  setting.assign = [member](Settings& settings, const std::string& value) -> Problem {
    const std::string lower = with(value, '_', '_', true);
    const bool on = lower == "on" || lower == "true" || lower == "1" || lower == "yes";
    const bool off = lower == "off" || lower == "false" || lower == "0" || lower == "no";
    if (!on && !off) return "must be on or off";
    settings.*member = on;
    return {};
  };
  setting.show = [member](const Settings& settings) { return settings.*member ? "on" : "off"; };
  return setting;
}

template <class Duration>
Setting duration(std::string name, Duration Settings::*member, std::string unit, std::uint64_t lowest,
                 std::uint64_t highest, std::string help) {
  Setting setting = row(std::move(name), std::move(unit), std::move(help));
  setting.assign = [=](Settings& settings, const std::string& value) -> Problem {
    const auto count = whole(value, lowest, highest);
    if (!count) return range(lowest, highest);
    settings.*member = Duration(*count);
    return {};
  };
  setting.show = [member](const Settings& settings) { return std::to_string((settings.*member).count()); };
  return setting;
}

// "120", "120s", "2m", "1h", "500ms"; nothing for anything else and for what is out of bounds.
std::optional<std::chrono::milliseconds> time_of(const std::string& value, std::chrono::milliseconds lowest,
                                                 std::chrono::milliseconds highest) {
  const auto unit_at = std::min(value.find_first_not_of("0123456789"), value.size());
  const auto unit = value.substr(unit_at);
  const auto count = whole(value.substr(0, unit_at), 0, 1'000'000'000);
  const std::map<std::string, int> milliseconds{{"", 1'000}, {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}};
  const auto known = milliseconds.find(unit);
  if (!count || known == milliseconds.end()) return {};
  const std::chrono::milliseconds time(*count * std::uint64_t(known->second));
  return time < lowest || time > highest ? std::nullopt : std::optional(time);
}

std::string shown(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) : std::to_string(time.count()) + "ms";
}

Setting time_span(std::string name, std::chrono::milliseconds Settings::*member, std::chrono::milliseconds lowest,
                  std::chrono::milliseconds highest, std::string help) {
  Setting setting = row(std::move(name), "seconds, or 500ms, 5s, 2m, 1h", std::move(help));
  setting.assign = [=](Settings& settings, const std::string& value) -> Problem {
    const auto time = time_of(value, lowest, highest);
    if (!time)
      return "must be a time such as 90, 500ms, 5s, 2m or 1h, from " + std::to_string(lowest.count()) + "ms to " +
             shown(highest) + "s";
    settings.*member = *time;
    return {};
  };
  setting.show = [member](const Settings& settings) { return shown(settings.*member); };
  return setting;
}

Setting count(std::string name, unsigned Settings::*member, unsigned lowest, unsigned highest, std::string help) {
  Setting setting = row(std::move(name), "number", std::move(help));
  setting.assign = [=](Settings& settings, const std::string& value) -> Problem {
    const auto number = whole(value, lowest, highest);
    if (!number) return range(lowest, highest);
    settings.*member = static_cast<unsigned>(*number);
    return {};
  };
  setting.show = [member](const Settings& settings) { return std::to_string(settings.*member); };
  return setting;
}

Setting list(std::string name, std::vector<std::string> Settings::*member, std::string type, std::string help,
             std::function<std::optional<std::string>(const std::string&)> normalise, std::string problem) {
  Setting setting = row(std::move(name), std::move(type), std::move(help));
  setting.assign = [=](Settings& settings, const std::string& value) -> Problem {
    std::vector<std::string> items;
    for (const auto& item : split(value)) {
      auto normal = normalise(item);
      if (!normal) return "'" + item + "' " + problem;
      items.push_back(std::move(*normal));
    }
    settings.*member = std::move(items);
    return {};
  };
  setting.show = [member](const Settings& settings) { return join(settings.*member); };
  return setting;
}

Setting data_folder() {
  Setting setting = row("AGENTBOX_DATA", "folder", "everything the box keeps");
  setting.flag = setting.key = "data";
  setting.assign = [](Settings& settings, const std::string& value) -> Problem {
    if (value.empty()) return "must name a folder";
    settings.data = value;
    return {};
  };
  setting.show = [](const Settings& settings) { return settings.data.string(); };
  return setting;
}

Setting summarizer_cache() {
  Setting setting = row("SUMMARIZER_CACHE_MB", "number", "megabytes of fetched pages the summarizer keeps; 0: none");
  setting.assign = [](Settings& settings, const std::string& value) -> Problem {
    const auto size = whole(value, 0, 512);
    if (!size) return range(0, 512);
    settings.summarizer_cache_mb = static_cast<unsigned>(*size);
    return {};
  };
  setting.show = [](const Settings& settings) { return std::to_string(settings.summarizer_cache_mb); };
  return setting;
}

Setting threads() {
  Setting setting = row("NETWORK_THREADS", "number", "threads that serve requests; 0: one a core");
  setting.assign = [](Settings& settings, const std::string& value) -> Problem {
    const auto count = whole(value, 0, 256);
    if (!count) return range(0, 256);
    settings.threads = static_cast<unsigned>(*count);
    return {};
  };
  setting.show = [](const Settings& settings) { return std::to_string(settings.threads); };
  return setting;
}

Setting port_range() {
  Setting setting = row("AGENT_PORT_RANGE", "first-last", "host ports of the agents' gateways");
  setting.assign = [](Settings& settings, const std::string& value) -> Problem {
    const auto dash = value.find('-');
    const auto first = whole(value.substr(0, dash), 1024, 65535);
    const auto last = dash == std::string::npos ? std::nullopt : whole(value.substr(dash + 1), 1024, 65535);
    if (!first || !last || *first > *last) return "must be two ports from 1024 to 65535, such as 20000-20999";
    settings.agent_port_first = static_cast<std::uint16_t>(*first);
    settings.agent_port_last = static_cast<std::uint16_t>(*last);
    return {};
  };
  setting.show = [](const Settings& settings) {
    return std::to_string(settings.agent_port_first) + "-" + std::to_string(settings.agent_port_last);
  };
  return setting;
}

Setting master_key() {
  return checked(secret("AGENTBOX_MASTER_KEY", &Settings::master_key,
                        "64 hex digits that seal secrets at rest; unset: the data folder's master.key"),
                 [](const std::string& value) -> Problem {
                   if (value.empty() || crypto::unhex(value).size() == 32) return {};
                   return "must be 64 hex digits";
                 });
}

Setting folder(std::string name, std::filesystem::path Settings::*member, std::string help) {
  Setting setting = row(std::move(name), "folder", std::move(help));
  setting.assign = [member](Settings& settings, const std::string& value) -> Problem {
    settings.*member = value;
    return {};
  };
  setting.show = [member](const Settings& settings) { return (settings.*member).string(); };
  return setting;
}

// Of a model provider: it becomes a header of calls. Nothing shorter than 8 characters is a key of one of them.
Setting provider_key(std::string name, std::string Settings::*member, std::string help, std::size_t fewest = 8) {
  return checked(secret(std::move(name), member, std::move(help)), [fewest](const std::string& value) -> Problem {
    const auto is_visible = [](char c) { return c > ' ' && c < 0x7F; };
    if (value.empty() || (value.size() >= fewest && std::ranges::all_of(value, is_visible))) return {};
    return "must be at least " + std::to_string(fewest) + " visible ASCII characters without spaces";
  });
}

// What git writes into a commit between its own angle brackets.
Setting git_name(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help)), [](const std::string& value) -> Problem {
    const bool has_letter = std::ranges::any_of(value, [](unsigned char c) { return std::isalnum(c) || c >= 0x80; });
    const bool has_bracket = value.find_first_of("<>\n\r") != std::string::npos;
    if (has_letter && !has_bracket) return {};
    return "must hold a letter or digit, and neither angle brackets nor line breaks";
  });
}

Problem http_url(const std::string& value) {
  if (value.empty() || value.starts_with("http://") || value.starts_with("https://")) return {};
  return "must begin with http:// or https://";
}

Problem smtp_address(const std::string& value) {
  if (value.empty() || value.starts_with("smtp://") || value.starts_with("smtps://")) return {};
  return "must begin with smtp:// or smtps://";
}

Problem mail_address(const std::string& value) {
  if (value.empty() || agentbox::normalised_email(value)) return {};
  return "must be an e-mail address";
}

Problem chain_address(const std::string& value) {
  if (value.empty() || crypto::EthereumAddress::parse(value)) return {};
  return "must be 0x and 40 hex digits; in mixed case with its checksum";
}

Setting chain_id() {
  Setting setting = row("L2_CHAIN_ID", "number", "its chain id, which sign-in messages must name");
  setting.assign = [](Settings& settings, const std::string& value) -> Problem {
    constexpr std::uint64_t highest = 1ull << 52;
    const auto id = whole(value, 1, highest);
    if (!id) return range(1, highest);
    settings.l2_chain_id = *id;
    return {};
  };
  setting.show = [](const Settings& settings) { return std::to_string(settings.l2_chain_id); };
  return setting;
}

std::vector<Setting> make_table() {
  using namespace std::chrono_literals;
  using S = Settings;
  const auto as_is = [](const std::string& item) { return std::optional(item); };
  const auto network = [](const std::string& item) {
    return web::TrustedProxies::is_network(item) ? std::optional(item) : std::nullopt;
  };
  const auto mail = [](const std::string& item) { return agentbox::normalised_email(item); };
  return {
      data_folder(),
      address("WEB_LISTEN", &S::web_listen, "where browsers connect"),
      address("BACKEND_LISTEN", &S::backend_listen, "where the backend API listens"),
      address("SUMMARIZER_LISTEN", &S::summarizer_listen, "where the web summarizer listens"),
      url("BASE_URL", &S::base_url, "public web address, for redirects and links; unset: from WEB_LISTEN"),
      text("TLS_CERT", &S::tls_cert, "certificate chain of the web listener; reloaded on SIGHUP", "PEM file"),
      text("TLS_KEY", &S::tls_key, "its private key", "PEM file"),
      secret("INTERNAL_API_KEY", &S::internal_api_key, "the backend's bearer key; unset: the backend refuses with 500"),
      list("ADMIN_EMAILS", &S::admin_emails, "e-mail,...",
           "accounts with these addresses are admins; nobody can register one of them", mail,
           "is not an e-mail address"),
      boolean("ADMIN_SECOND_FACTOR", &S::admin_second_factor,
              "on: admins need a second factor; one without may only set it up"),
      master_key(),
      list("TRUSTED_PROXIES", &S::trusted_proxies, "address or CIDR,...",
           "peers whose X-Forwarded-For and X-Forwarded-Proto are believed", network,
           "is not an address or a network, such as 10.0.0.0/8"),
      boolean("RATE_LIMITS", &S::rate_limits, "off for benchmarks and trusted networks only"),
      threads(),
      duration("IDLE_TIMEOUT", &S::idle_timeout, "seconds", 1, 86'400, "how long an idle connection is kept"),
      choice("AGENT_RUNTIME", &S::agent_runtime, {"auto", "docker", "process"},
             "where agents run; auto: docker when its engine answers, else processes"),
      text("AGENT_IMAGE", &S::agent_image, "container image of new agents", "image"),
      text("DOCKER_HOST", &S::docker_host, "the Docker Engine's socket", "unix:///path"),
      domain("AGENT_DOMAIN", &S::agent_domain, "agents answer at <subdomain>.<this domain> on the web listener"),
      port_range(),
      boolean("PROVISIONING_ENABLED", &S::provisioning_enabled, "the kill switch: off refuses new agents with 503"),
      time_span("WATCHDOG_CHECK_INTERVAL", &S::watchdog_check_interval, 100ms, 24h,
                "between checks of a running agent"),
      time_span("WATCHDOG_DEGRADED_CHECK_INTERVAL", &S::watchdog_degraded_check_interval, 100ms, 24h,
                "between checks of an agent that starts or does not answer"),
      count("WATCHDOG_STARTUP_FAILURE_THRESHOLD", &S::watchdog_startup_failure_threshold, 1, 1'000,
            "failed checks in a row until a starting agent counts as degraded"),
      count("WATCHDOG_MAX_REPAIR_ATTEMPTS", &S::watchdog_max_repair_attempts, 1, 100,
            "repairs in vain until an agent is given up"),
      time_span("WATCHDOG_CRASH_LOOP_WINDOW", &S::watchdog_crash_loop_window, 1s, 24h, "in which crashes are counted"),
      count("WATCHDOG_CRASH_LOOP_THRESHOLD", &S::watchdog_crash_loop_threshold, 1, 1'000,
            "crashes in the window until an agent is given up"),
      boolean("WATCHDOG_AUTO_REPAIR", &S::watchdog_auto_repair,
              "repair agents that do not answer and start those that ended; off: only tell"),
      time_span("INSTALLATION_HEARTBEAT_INTERVAL", &S::installation_heartbeat_interval, 1s, 24h,
                "how often registered installations send a heartbeat; inactive after three of these without one"),
      secret("NOTIFY_BOT_TOKEN", &S::notify_bot_token, "of the messaging-app bot that tells what becomes of agents"),
      text("NOTIFY_CHAT_ID", &S::notify_chat_id, "the chat it tells", "id"),
      url("NOTIFY_BOT_API_URL", &S::notify_bot_api_url, "its API, as Telegram's: <URL>/bot<token>/sendMessage"),
      checked(secret("NOTIFY_WEBHOOK_URL", &S::notify_webhook_url, "a chat's webhook that is told the same"), http_url),
      url("LOCAL_MODEL_URL", &S::local_model_url, "an OpenAI-compatible server: Ollama, llama.cpp, vLLM"),
      provider_key("LOCAL_API_KEY", &S::local_api_key, "its key, when it wants one", 1),
      text("LOCAL_MODEL", &S::local_model, "the model to ask there; unset: the first it lists", "model"),
      provider_key("OPENROUTER_API_KEY", &S::openrouter_api_key, "key of the multi-model router"),
      url("OPENROUTER_BASE_URL", &S::openrouter_base_url, "its address"),
      text("OPENROUTER_MODEL", &S::openrouter_model,
           "the model to ask there when none is named; unset: by the catalogue's tiers", "model"),
      provider_key("ANTHROPIC_API_KEY", &S::anthropic_api_key, "key of Anthropic's own API, asked before the router"),
      url("ANTHROPIC_BASE_URL", &S::anthropic_base_url, "its address"),
      provider_key("OPENAI_API_KEY", &S::openai_api_key, "key of OpenAI's own API, asked before the router"),
      url("OPENAI_BASE_URL", &S::openai_base_url, "its address"),
      provider_key("GOOGLE_API_KEY", &S::google_api_key, "key of Google's own Gemini API, asked before the router"),
      url("GOOGLE_BASE_URL", &S::google_base_url, "its address"),
      count("AI_MAX_TOKENS", &S::ai_max_tokens, 16, 1'000'000, "of an answer whose caller names no limit"),
      count("DEMO_DAILY_TOKENS", &S::demo_daily_tokens, 0, 2'000'000'000,
            "that all visitors of the public demo may use in a day (UTC), a quarter of them each"),
      boolean("AI_BUILTIN", &S::ai_builtin,
              "answer with the built-in extractive model when nothing else is configured"),
      duration("AI_MODEL_TIMEOUT_MS", &S::ai_model_timeout, "milliseconds", 100, 600'000,
               "for one attempt at one model"),
      folder("BROWSE_ROOT", &S::browse_root,
             "what the file explorer shows when no agent is named; unset: the data folder's agents/"),
      git_name("GIT_AUTHOR_NAME", &S::git_author_name, "who the box's commits are by"),
      git_name("GIT_AUTHOR_EMAIL", &S::git_author_email, "their e-mail address"),
      duration("GIT_REMOTE_TIMEOUT", &S::git_remote_timeout, "seconds", 1, 600, "for one push"),
      boolean("SUMMARIZER_ALLOW_PRIVATE", &S::summarizer_allow_private,
              "let the summarizer fetch private and loopback addresses"),
      summarizer_cache(),
      text("SUMMARIZER_USER_AGENT", &S::summarizer_user_agent, "how the summarizer names itself"),
      checked(
          secret("L2_RPC_URL", &S::l2_rpc_url,
                 "JSON-RPC of the chain that smart wallets and tokens are looked up on; unset: neither is possible"),
          http_url),
      chain_id(),
      checked(secret("PAYMENT_RPC_URL", &S::payment_rpc_url,
                     "JSON-RPC of the chain that clones are paid on; unset: payments are checked by their shape alone"),
              http_url),
      checked(text("PAYMENT_RECEIVER", &S::payment_receiver, "the account that must have been paid", "0x address"),
              chain_address),
      checked(text("PAYMENT_TOKEN_ADDRESS", &S::payment_token_address, "contract of what is paid with: pathUSD",
                   "0x address"),
              chain_address),
      url("IDP_ISSUER", &S::idp_issuer, "the identity provider: an OpenID issuer, which also sends security events"),
      list("IDP_CLIENT_ID", &S::idp_client_id, "id,...",
           "the box's client id there; further ones are taken as audiences of security events", as_is, ""),
      secret("IDP_CLIENT_SECRET", &S::idp_client_secret, "the client's secret there"),
      text("CODEHOST_CLIENT_ID", &S::codehost_client_id, "the box's OAuth client id at the code host", "id"),
      secret("CODEHOST_CLIENT_SECRET", &S::codehost_client_secret, "its secret there"),
      url("CODEHOST_BASE_URL", &S::codehost_base_url, "the code host: GitHub, GitHub Enterprise or Gitea"),
      url("CODEHOST_API_URL", &S::codehost_api_url, "its API; of Gitea https://<host>/api/v1"),
      checked(secret("SMTP_URL", &S::smtp_url,
                     "the mail server: smtp://[user:password@]host[:port], or smtps://; unset: mails are kept for "
                     "`agentbox admin outbox`"),
              smtp_address),
      checked(text("SMTP_FROM", &S::smtp_from, "the sender of the box's mails", "e-mail"), mail_address),
      url("SOCIAL_ID_ISSUER", &S::social_id_issuer, "the OpenID issuer whose ID tokens are taken as social identities"),
      text("SOCIAL_ID_CLIENT_ID", &S::social_id_client_id, "the audience those tokens must be for", "id"),
      secret("SOCIAL_ID_CLIENT_SECRET", &S::social_id_client_secret, "the client's secret there, when it has one"),
      checked(text("GATING_TOKEN_ADDRESS", &S::gating_token_address, "contract of the token that opens gated features",
                   "0x address"),
              chain_address),
      checked(text("GATING_TOKEN_MINIMUM", &S::gating_token_minimum, "how many of them are enough", "number"),
              [](const std::string& value) -> Problem {
                if (chain::without_point(value, 18)) return {};
                return "must be a decimal number, such as 1250000 or 0.5";
              }),
      choice("LOG_LEVEL", &S::log_level, {"debug", "info", "warning", "error"}, "what is written to stderr"),
  };
}

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
  throw UsageError(where + ": there is no setting '" + key + "'" +
                   (meant ? ", did you mean '" + *meant + "'?" : ": see agentbox settings"));
}

void read_file(Settings& settings, const std::filesystem::path& path) {
  std::ifstream input(path);
  if (std::filesystem::is_directory(path))
    throw UsageError("the config file " + path.string() + " is a folder: name the file in it");
  if (!input) throw UsageError("cannot read the config file " + path.string() + ": check the path and its permissions");
  try {
    for (const auto& entry : read_toml(input)) {
      const std::string where = "line " + std::to_string(entry.line);
      assign(settings, setting_of_key(entry.key, where), join(entry.values), where);
    }
  } catch (const UsageError& error) {
    throw UsageError(path.string() + ": " + error.what());
  }
}

std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

const std::vector<Setting>& settings_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

Settings resolve_settings(const Flags& flags, const Environment& environment, const ConfigFile& file) {
  const auto override_with = [&](Settings& settings, const Setting& setting) {
    if (const auto flag = flags.find(setting.name); flag != flags.end())
      assign(settings, setting, flag->second, "--" + setting.flag);
    else if (const auto value = environment(setting.name))
      assign(settings, setting, *value, "environment");
  };
  Settings settings;
  const Setting& data = settings_table().front();
  override_with(settings, data);
  const auto own = settings.data / config_file_name;
  if (file.named) {
    read_file(settings, *file.named);
  } else if (file.own && std::filesystem::exists(own)) {
    read_file(settings, own);
  }
  for (const auto& setting : settings_table()) override_with(settings, setting);
  if (settings.tls_cert.empty() != settings.tls_key.empty())
    throw UsageError("TLS_CERT and TLS_KEY belong together: set both or neither");
  if (!settings.smtp_url.empty() && settings.smtp_from.empty())
    throw UsageError("SMTP_URL needs SMTP_FROM: set the address that the box's mails come from");
  if (!settings.payment_rpc_url.empty() &&
      (settings.payment_receiver.empty() || settings.payment_token_address.empty()))
    throw UsageError("PAYMENT_RPC_URL needs PAYMENT_RECEIVER and PAYMENT_TOKEN_ADDRESS: say who must have been paid");
  return settings;
}

std::string settings_markdown() {
  const Settings defaults;
  std::string page = "| setting | flag | value | default | meaning |\n|---|---|---|---|---|\n";
  for (const auto& setting : settings_table()) {
    const std::string value = setting.show(defaults);
    page += "| `" + setting.name + "` | `--" + setting.flag + "` | " + markdown_cell(setting.type) + " | " +
            (value.empty() ? "none" : "`" + value + "`") + " | " + markdown_cell(setting.help) + " |\n";
  }
  return page;
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // Levenshtein distance, one row at a time.
  const auto distance = [word](std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= other.size(); ++j) {
        const std::size_t replaced = diagonal + (word[i - 1] == other[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      }
    }
    return row.back();
  };
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    if (const auto far = distance(candidate); far < least) {
      least = far;
      best = &candidate;
    }
  }
  return best ? std::optional(*best) : std::nullopt;
}

}  // namespace agentbox
