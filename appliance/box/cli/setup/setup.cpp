#include "appliance/box/cli/subcommands.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "appliance/box/cli/commands.h"
#include "appliance/box/cli/confirmation.h"
#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/secret_file.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/cli/setup/config_editor.h"
#include "appliance/box/cli/setup/own_authority.h"
#include "appliance/box/cli/setup/questions.h"
#include "appliance/foundation/settings/settings_table.h"
#include "appliance/foundation/settings/toml.h"
#include "appliance/hosting/schedule/timetable.h"
#include "web/ascii.h"
#include "web/server/tls.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

// Empty if there is no file.
std::string read_config(const fs::path& path) {
  std::ifstream input(path, std::ios::binary);
  if (!input && fs::exists(path)) throw UsageError("cannot read " + path.string() + ": check its permissions");
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

std::string port_of(const std::string& listen) { return listen.substr(listen.rfind(':') + 1); }

// For a browser; a host is `name` or `name:port`.
std::string https_url(const std::string& name, const std::string& listen) {
  const auto host = name.find(':') == std::string::npos ? name : "[" + name + "]";
  return "https://" + host + (port_of(listen) == "443" ? "" : ":" + port_of(listen));
}

std::string answer_or(const SetupAnswers& answers, const std::string& name, const std::string& current) {
  const auto found = answers.settings.find(name);
  return found == answers.settings.end() ? current : found->second;
}

// Throws UsageError if the certificate and the key cannot be used together.
void check_files(const SetupAnswers& answers, const Settings& settings) {
  const web::TlsFiles files{.certificate = answer_or(answers, "TLS_CERT", settings.tls_cert),
                            .key = answer_or(answers, "TLS_KEY", settings.tls_key)};
  if (files.certificate.empty() || files.key.empty()) return;  // which the settings' own check refuses
  try {
    web::load_tls(files);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

// The settings that follow from the answers.
void settle_tls(SetupAnswers& answers, const Settings& settings, const OwnAuthority& authority) {
  const std::map<std::string, std::string> files{
      {"TLS_CERT", settings.tls_cert}, {"TLS_KEY", settings.tls_key}, {"TLS_CA", settings.tls_ca}};
  if (answers.tls == Tls::none || answers.tls == Tls::public_authority)
    for (const auto& [name, file] : files)
      if (!file.empty()) answers.settings[name] = "";
  // What setup has set with a certificate of its own.
  const bool was_own = settings.tls_ca == authority.root.string();
  const auto drop = [&](const std::string& name, bool is_stale) {
    if (is_stale && !answers.settings.contains(name)) answers.settings[name] = "";
  };
  const auto listen = answer_or(answers, "WEB_LISTEN", settings.web_listen);
  if (was_own && answers.tls == Tls::public_authority && !answers.settings.contains("BASE_URL")) {
    const auto names = answer_or(answers, "ACME_NAMES", web::join(settings.acme_names, ","));
    answers.settings["BASE_URL"] = names.empty() ? "" : https_url(names.substr(0, names.find(',')), listen);
  }
  drop("BASE_URL", was_own && answers.tls == Tls::none);
  drop("HTTP_REDIRECT_LISTEN", was_own && answers.tls == Tls::none && !settings.http_redirect_listen.empty());
  drop("TLS_CA", was_own && answers.tls == Tls::files);
  const bool keeps_directory = answers.tls == Tls::as_it_is || answers.tls == Tls::public_authority;
  if (!keeps_directory && !settings.acme_directory.empty()) answers.settings["ACME_DIRECTORY"] = "";
  if (answers.tls != Tls::own_authority) return;
  if (answers.names.empty()) answers.names = own_names();
  if (answers.names.empty()) answers.names = {"localhost"};
  answers.settings["TLS_CERT"] = authority.server.string();
  answers.settings["TLS_KEY"] = authority.server_key.string();
  answers.settings["TLS_CA"] = authority.root.string();
  if (answer_or(answers, "BASE_URL", "").empty())
    answers.settings["BASE_URL"] = https_url(answers.names.front(), listen);
  for (const auto& name : {std::string("localhost"), std::string("127.0.0.1")})
    if (std::ranges::find(answers.names, name) == answers.names.end()) answers.names.push_back(name);
  // Clients take no wildcard of a whole top-level domain.
  const auto domain = answer_or(answers, "AGENT_DOMAIN", settings.agent_domain);
  if (domain.find('.') != std::string::npos) answers.names.push_back("*." + domain);
}

void check_schedule(const Flags& settings) {
  const auto found = settings.find("BACKUP_SCHEDULE");
  if (found == settings.end() || found->second.empty()) return;
  const schedule::TimeZones zones;
  if (const auto read = schedule::Timetable::read(zones, found->second, "UTC"); !read)
    throw UsageError("BACKUP_SCHEDULE is no cron expression, as \"0 3 * * *\" for every night at 3: " +
                     read.error().message);
}

// Checked one by one before anything is written.
void check_each(const Flags& settings) {
  Settings scratch;
  for (const auto& [name, value] : settings) {
    const auto& setting = *std::ranges::find(settings_table(), name, &Setting::name);
    if (const auto problem = setting.assign(scratch, value)) throw UsageError("--" + setting.flag + " " + *problem);
  }
}

std::map<std::string, std::string> toml_of(const Flags& settings) {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : settings) {
    const auto& setting = *std::ranges::find(settings_table(), name, &Setting::name);
    values[setting.key] = toml_string(value);
  }
  return values;
}

void print_next(const DataFolder& folder, const Settings& settings, const SetupAnswers& answers,
                const OwnAuthority& authority) {
  if (answers.tls == Tls::own_authority) {
    std::cout << "\nThis box certifies itself. Install its authority once on each device that uses it:\n  "
              << settings.base_url << "/ca.crt\n  SHA-256 " << authority.fingerprint()
              << "\nCompare the fingerprint before you trust it. docs/install.md says how for each system.\n";
  }
  std::cout << "\nNext:\n  agentbox doctor --data " << folder.path().string() << "\n  agentbox serve --data "
            << folder.path().string() << '\n';
}

// Throws UsageError for what has no use.
void check_answers(const SetupAnswers& answers, const DataFolder& folder, bool is_new) {
  if (is_new && answers.email.empty()) throw UsageError("name the first admin's address with --email");
  if (!is_new && (!answers.email.empty() || !answers.password.empty()))
    throw UsageError(folder.path().string() +
                     " is set up already, and --email and --password are of its first admin: agentbox admin "
                     "create-user --admin makes another");
  if (!answers.names.empty() && answers.tls != Tls::own_authority)
    throw UsageError("--name is for a certificate of the box's own authority: add --own-ca");
}

int set_up_box(const SettingFlags& flags, SetupAnswers answers, const Confirmation& confirmation) {
  // The flags replace what is there, with which they need not agree.
  const auto settings = flags.stored();
  const DataFolder folder(fs::absolute(settings.data).lexically_normal());
  const OwnAuthority authority(folder);
  const bool is_new = !fs::exists(folder.config_file());
  become_owner(folder);
  answers.settings = flags.given();
  answers.settings.erase("AGENTBOX_DATA");
  if (answers.settings.contains("TLS_CERT") && answers.tls == Tls::as_it_is) answers.tls = Tls::files;
  if (answers.settings.contains("ACME_DIRECTORY") && answers.tls == Tls::as_it_is) answers.tls = Tls::public_authority;
  if (isatty(STDIN_FILENO) != 0 && !confirmation.is_given()) ask(answers, settings, is_new);
  check_answers(answers, folder, is_new);
  settle_tls(answers, settings, authority);
  check_each(answers.settings);
  check_schedule(answers.settings);
  if (answers.tls == Tls::files) check_files(answers, settings);
  if (!is_new && !answers.settings.empty())
    confirmation.require("Change " + std::to_string(answers.settings.size()) + " settings in " +
                         folder.config_file().string() + "?");
  const auto values = toml_of(answers.settings);
  check_settings(with_settings(read_config(folder.config_file()), values));  // before anything is made
  if (is_new) init(settings, {.email = answers.email, .password = answers.password, .says_next = false}, std::cout);
  const auto text = with_settings(read_config(folder.config_file()), values);
  if (answers.tls == Tls::own_authority) authority.certify(answers.names);
  write_private_file(folder.config_file(), text);
  std::cout << "the settings are in " << folder.config_file().string() << '\n';
  print_next(folder, flags.resolve(), answers, authority);
  return 0;
}

int renew(const Settings& settings) {
  const DataFolder folder(fs::absolute(settings.data).lexically_normal());
  const OwnAuthority authority(folder);
  become_owner(folder);
  authority.renew();
  std::cout << "renewed " << authority.server.string() << ": the running box takes it over with kill -HUP\n";
  return 0;
}

void add_renew(CLI::App& setup, std::function<int()>& run) {
  auto* command = setup.add_subcommand("renew", "Make a new certificate from the box's own authority");
  const SettingFlags flags(*command, {"AGENTBOX_DATA"});
  command->callback([&run, flags] { run = [flags] { return renew(flags.resolve(false)); }; });
}

}  // namespace

void add_setup(CLI::App& app, std::function<int()>& run) {
  auto* command =
      app.add_subcommand("setup", "Set up a box: asks on a terminal, otherwise takes everything from flags");
  const auto answers = std::make_shared<SetupAnswers>();
  const auto wants_authority = std::make_shared<bool>(false), wants_no_tls = std::make_shared<bool>(false);
  command->add_option("--email", answers->email, "e-mail address of the first admin");
  add_password(*command, answers->password, "password of the first admin; default: a random one");
  auto* own = command->add_flag("--own-ca", *wants_authority,
                                "TLS with a certificate of the box's own authority, for a local network");
  command->add_flag("--no-tls", *wants_no_tls, "plain HTTP")->excludes(own);
  command
      ->add_option("--name", answers->names,
                   "with --own-ca: a name or address of the box; may be repeated [the machine's]")
      ->type_name("NAME");
  const Confirmation confirmation(*command);
  const SettingFlags flags(
      *command, {"AGENTBOX_DATA", "WEB_LISTEN", "BACKEND_LISTEN", "HTTP_REDIRECT_LISTEN", "BASE_URL", "TLS_CERT",
                 "TLS_KEY", "ACME_DIRECTORY", "ACME_EMAIL", "ACME_NAMES", "ACME_CA", "AGENT_DOMAIN", "REGISTRATION",
                 "LOCAL_MODEL_URL", "SMTP_URL", "SMTP_FROM", "BACKUP_SCHEDULE", "BACKUP_KEEP"});
  add_renew(*command, run);
  command->callback([command, &run, flags, answers, confirmation, wants_authority, wants_no_tls] {
    if (!command->get_subcommands().empty()) return;
    run = [flags, answers, confirmation, wants_authority, wants_no_tls] {
      if (*wants_authority) answers->tls = Tls::own_authority;
      if (*wants_no_tls) answers->tls = Tls::none;
      return set_up_box(flags, *answers, confirmation);
    };
  });
}

}  // namespace agentbox::cli
