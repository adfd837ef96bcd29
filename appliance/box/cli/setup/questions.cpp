#include "appliance/box/cli/setup/questions.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <iostream>
#include <memory>
#include <sstream>

#include "appliance/foundation/email.h"
#include "appliance/foundation/settings/setting_types.h"
#include "appliance/foundation/settings/settings_table.h"
#include "appliance/models/administration/local_servers.h"
#include "web/ascii.h"

namespace agentbox::cli {

namespace {

constexpr const char* usual_authority = "https://acme-v02.api.letsencrypt.org/directory";

const Setting& setting_named(const std::string& name) {
  return *std::ranges::find(settings_table(), name, &Setting::name);
}

// `suggested`: the answer to an empty line where the box has no value.
void ask_setting(SetupAnswers& answers, const Settings& settings, const std::string& name, const std::string& prompt,
                 const std::string& suggested = {}) {
  if (answers.settings.contains(name)) return;
  const auto& setting = setting_named(name);
  const auto current = setting.show(settings);
  const auto fallback = current.empty() ? suggested : setting.secret ? "as it is" : current;
  for (;;) {
    const auto answer = ask_for(prompt, fallback);
    if (answer == current || (setting.secret && answer == "as it is")) return;
    auto scratch = settings;
    if (const auto problem = setting.assign(scratch, answer)) {
      std::cout << "  " << *problem << '\n';
      continue;
    }
    answers.settings[name] = answer;
    return;
  }
}

std::vector<models::FoundServer> found_servers() {
  boost::asio::io_context io;
  models::LocalServers servers;
  models::LocalServers::Result found;
  boost::asio::co_spawn(io, servers.probe(), [&](std::exception_ptr failed, models::LocalServers::Result result) {
    if (!failed) found = std::move(result);
  });
  io.run();
  return found.servers;
}

void ask_model_server(SetupAnswers& answers, const Settings& settings) {
  if (answers.settings.contains("LOCAL_MODEL_URL") || !settings.local_model_url.empty()) return;
  for (const auto& server : found_servers()) {
    const auto answer = ask_for(
        "Use " + server.kind + " at " + server.base_url + " with " + std::to_string(server.models.size()) + " models?",
        "yes");
    if (!answer.starts_with('y')) continue;
    answers.settings["LOCAL_MODEL_URL"] = server.base_url;
    return;
  }
  ask_setting(answers, settings, "LOCAL_MODEL_URL", "Model server (an OpenAI-compatible URL; empty: none)");
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream input(text);
  std::vector<std::string> words;
  for (std::string word; input >> word;) words.push_back(word);
  return words;
}

void ask_tls(SetupAnswers& answers, const Settings& settings) {
  const bool is_given = answers.settings.contains("TLS_CERT") || answers.settings.contains("ACME_DIRECTORY") ||
                        answers.tls != Tls::as_it_is;
  if (!is_given) {
    const auto fallback = settings.tls_cert.empty() && settings.acme_directory.empty() ? "none" : "keep";
    for (auto answer = ask_for("TLS: none, files (your certificate), own-ca (for a local network), acme (a public "
                               "authority, for a box that the internet reaches), or keep",
                               fallback);
         ; answer = ask_for("Please answer none, files, own-ca, acme or keep", fallback)) {
      if (answer == "keep") break;
      if (answer == "none") answers.tls = Tls::none;
      if (answer == "files") answers.tls = Tls::files;
      if (answer == "own-ca") answers.tls = Tls::own_authority;
      if (answer == "acme") answers.tls = Tls::public_authority;
      if (answers.tls != Tls::as_it_is) break;
    }
  }
  if (answers.tls == Tls::files) {
    ask_setting(answers, settings, "TLS_CERT", "File with the certificate chain");
    ask_setting(answers, settings, "TLS_KEY", "File with its private key");
  }
  if (answers.tls == Tls::public_authority) {
    ask_setting(answers, settings, "ACME_DIRECTORY", "Directory of the authority, whose terms you accept",
                usual_authority);
    ask_setting(answers, settings, "ACME_NAMES", "Host names to certify (empty: the one of the public web address)");
    ask_setting(answers, settings, "ACME_EMAIL", "Address that the authority may write to (empty: none)");
    ask_setting(answers, settings, "HTTP_REDIRECT_LISTEN",
                "Address for plain HTTP, which the authority asks at port 80 (0.0.0.0:80; empty: only port 443)");
  }
  if (answers.tls == Tls::own_authority && answers.names.empty())
    answers.names =
        words_of(ask_for("Names and addresses by which devices reach this box", web::join(own_names(), " ")));
}

void ask_admin(SetupAnswers& answers) {
  while (!normalised_email(answers.email)) answers.email = ask_for("E-mail address of the first admin", "");
  if (answers.password.empty()) answers.password = ask_for("Password (empty: a random one, shown once)", "");
}

}  // namespace

std::string ask_for(const std::string& prompt, const std::string& fallback) {
  std::cout << prompt << (fallback.empty() ? "" : " [" + fallback + "]") << ": " << std::flush;
  std::string answer;
  if (!std::getline(std::cin, answer)) throw UsageError("the setup was not finished: nothing was changed");
  while (!answer.empty() && (answer.back() == ' ' || answer.back() == '\r')) answer.pop_back();
  return answer.empty() ? fallback : answer;
}

std::vector<std::string> own_names() {
  std::vector<std::string> names;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0') names.emplace_back(host.data());
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return names;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> release(list, &freeifaddrs);
  for (const auto* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr) names.emplace_back(text.data());
  }
  return names;
}

void ask(SetupAnswers& answers, const Settings& settings, bool is_new) {
  if (is_new) ask_admin(answers);
  ask_setting(answers, settings, "WEB_LISTEN", "Address of the web listener (0.0.0.0:3000: all of this machine's)");
  ask_tls(answers, settings);
  if (answers.tls != Tls::own_authority)
    ask_setting(answers, settings, "BASE_URL", "Public web address (empty: that of the listener)");
  // An answer that keeps it is one too: with another authority it would else be thought of as the former one's.
  if (answers.tls == Tls::public_authority) answers.settings.try_emplace("BASE_URL", settings.base_url);
  ask_setting(answers, settings, "AGENT_DOMAIN", "Domain of the agents' addresses");
  ask_setting(answers, settings, "REGISTRATION", "Who may register (open, invite or closed)");
  ask_model_server(answers, settings);
  ask_setting(answers, settings, "SMTP_URL", "Mail server (smtp://user:password@host; empty: none)");
  if (answers.settings.contains("SMTP_URL")) ask_setting(answers, settings, "SMTP_FROM", "Sender of the box's mails");
  ask_setting(answers, settings, "BACKUP_SCHEDULE", "Backups (cron expression in UTC, such as 0 3 * * *; empty: none)");
  if (answers.settings.contains("BACKUP_SCHEDULE"))
    ask_setting(answers, settings, "BACKUP_KEEP", "Backups that are kept");
}

}  // namespace agentbox::cli
