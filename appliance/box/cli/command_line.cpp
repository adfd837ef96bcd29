#include "appliance/box/cli/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <iostream>
#include <optional>

#include "appliance/box/cli/admin.h"
#include "appliance/box/cli/commands.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/foundation/version.h"
#include "appliance/hosting/agent_process/agent_process.h"

namespace agentbox::cli {

namespace {

// What the chosen subcommand will do, once everything is parsed.
using Run = std::function<int()>;

void add_serve(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("serve", "Serve the box until it is told to stop");
  const SettingFlags flags(*command);
  command->callback([&run, flags] { run = [flags] { return serve(flags.resolve()); }; });
}

void add_init(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("init", "Set a data folder up: its key, its settings and the admin's account");
  const auto options = std::make_shared<InitOptions>();
  command->add_option("--email", options->email, "the admin's e-mail")->required();
  command->add_option("--password", options->password, "the admin's password; without it a random one is printed");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY"});
  command->callback([&run, flags, options] { run = [flags, options] { return init(flags.resolve(), *options); }; });
}

void add_backup(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("backup", "Back a box up, also while it runs");
  const auto options = std::make_shared<BackupOptions>();
  command->add_option("--to", options->to, "folder of the backup; one that holds a backup is brought up to date")
      ->required();
  command->add_flag("--with-key", options->with_key,
                    "put master.key in: whoever reads the backup can then open every secret of the box");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY", "BACKEND_LISTEN", "INTERNAL_API_KEY"});
  command->callback([&run, flags, options] { run = [flags, options] { return backup(flags.resolve(), *options); }; });
}

void add_restore(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("restore", "Make a data folder from a backup");
  const auto options = std::make_shared<RestoreOptions>();
  command->add_option("--from", options->from, "folder of the backup")->required();
  command->add_option("--key", options->key_file, "master.key of the box that was backed up")->type_name("FILE");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY"});
  command->callback(
      [&run, flags, options] { run = [flags, options] { return restore(*options, flags.resolve(false)); }; });
}

void add_verify(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("verify", "Check every file, record and index of a box that does not run");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY"});
  command->callback([&run, flags] { run = [flags] { return verify(flags.resolve()); }; });
}

void add_openapi(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("openapi", "Print the OpenAPI document of a listener");
  const auto listener = std::make_shared<std::string>("web");
  command->add_option("listener", *listener, "web, backend or summarizer [web]")
      ->check(CLI::IsMember({"web", "backend", "summarizer"}));
  command->callback([&run, listener] { run = [listener] { return openapi(*listener); }; });
}

void add_settings(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("settings", "Print every setting as a Markdown table");
  command->callback([&run] {
    run = [] {
      std::cout << settings_markdown();
      return 0;
    };
  });
}

void add_agent(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("agent", "Run one agent; the box starts these");
  const auto boot = std::make_shared<std::string>(agent_process::boot_file_in_container);
  const auto check = std::make_shared<bool>(false);
  command->add_option("--boot", *boot, "file that describes the agent [" + *boot + "]");
  command->add_flag("--check", *check,
                    "only ask whether the agent in this container answers; exit code 0 when it does");
  command->callback([&run, boot, check] {
    run = [boot, check] { return *check ? agent_process::check() : agent_process::run(*boot); };
  });
}

void add_summarizer(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("summarizer", "Serve the web summarizer alone; the box starts its own");
  const auto box = std::make_shared<std::optional<pid_t>>();
  command->add_option("--box", *box)->group("");
  const SettingFlags flags(*command, {"SUMMARIZER_LISTEN", "SUMMARIZER_ALLOW_PRIVATE", "SUMMARIZER_CACHE_MB",
                                      "SUMMARIZER_USER_AGENT", "LOG_LEVEL"});
  command->callback([&run, flags, box] { run = [flags, box] { return summarizer(flags.resolve(false), *box); }; });
}

// What nobody takes is named, with what was probably meant; else it is CLI11's message.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string path = "agentbox ";
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += command->get_name() + " ";
  }
  std::vector<std::string> known;
  for (const auto* subcommand : command->get_subcommands(nullptr)) known.push_back(subcommand->get_name());
  for (const auto* option : command->get_options())
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);

  const std::string advice = ": see " + path + "--help";
  if (const auto strangers = app.remaining(true); !strangers.empty()) {
    const std::string name = strangers.front().substr(0, strangers.front().find('='));
    if (std::ranges::find(known, name) != known.end())
      return name + " comes after the command: " + path + name + " ..." + advice;
    if (const auto meant = nearest(name, known)) return "there is no " + name + ", did you mean " + *meant + "?";
    const bool is_name = name.starts_with('-') || !command->get_subcommands(nullptr).empty();
    return (is_name ? "there is no " + name : "'" + name + "' is a word too many") + advice;
  }
  std::string message = error.what();
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  return message + advice;
}

int complain(const std::string& message) {
  std::cerr << "agentbox: " << message << '\n';
  return 2;
}

// The exit code where there is nothing more to do. The grammar ends here: what runs for months need not keep it.
std::optional<int> parse(int argc, char** argv, Run& chosen) {
  CLI::App app("agentbox hosts AI agents on one box.", "agentbox");
  app.set_version_flag("--version", std::string("agentbox ") + version);
  app.require_subcommand(1);
  add_serve(app, chosen);
  add_init(app, chosen);
  add_admin(app, chosen);
  add_backup(app, chosen);
  add_restore(app, chosen);
  add_verify(app, chosen);
  add_openapi(app, chosen);
  add_settings(app, chosen);
  add_agent(app, chosen);
  add_summarizer(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    return complain(explain(app, error));
  }
  return {};
}

}  // namespace

int run(int argc, char** argv) {
  Run chosen;
  if (const auto ended = parse(argc, argv, chosen)) return *ended;
  try {
    return chosen();
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

}  // namespace agentbox::cli
