#include "appliance/box/cli/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>

#include "appliance/agent/agent.h"
#include "appliance/box/cli/commands.h"
#include "appliance/box/cli/completion.h"
#include "appliance/box/cli/confirmation.h"
#include "appliance/box/cli/doctor/doctor.h"
#include "appliance/box/cli/engine_images.h"
#include "appliance/box/cli/examples.h"
#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/manual.h"
#include "appliance/box/cli/secret_file.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/cli/subcommands.h"
#include "appliance/box/cli/version.h"
#include "appliance/demo/demo.h"
#include "appliance/foundation/settings/nearest.h"
#include "appliance/foundation/settings/settings_table.h"
#include "appliance/foundation/version.h"
#include "appliance/media/documents/converter.h"

namespace agentbox::cli {

namespace {

// Runs the chosen subcommand, once everything is parsed.
using Run = std::function<int()>;

// A folder that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto path = (std::filesystem::temp_directory_path() / "agentbox-demo-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw UsageError("cannot make a temporary folder: name one with --data");
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int run_demo(const SettingFlags& flags, const demo::Options& options) {
  std::optional<TemporaryFolder> temporary;
  SettingSources sources;
  auto folder = flags.resolve(sources).data;
  if (!sources.contains("AGENTBOX_DATA")) {
    if (options.reset) throw UsageError("--reset starts a demo in a folder over: name the folder with --data");
    temporary.emplace();
    folder = temporary->path();
    ::setenv("AGENTBOX_DATA", folder.c_str(), 1);
  }
  return demo::run(folder, options,
                   {.init =
                        [](const Settings& settings, const std::string& email, const std::string& password) {
                          std::ostringstream unread;  // the demo says itself how to sign in
                          init(settings, {.email = email, .password = password}, unread);
                        },
                    .resolve = [&flags](SettingSources& found) { return flags.resolve(found); },
                    .serve = serve});
}

void add_serve(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("serve", "Serve the box until SIGTERM or SIGINT");
  const auto options = std::make_shared<SetUpOptions>();
  command->add_flag("--init", options->is_wanted,
                    "set the data folder up first if that is needed, as agentbox init does");
  command->add_option("--email", options->admin.email, "with --init: e-mail address of the admin");
  add_password(*command, options->admin.password,
               "with --init: password of the admin; default: a random one, which is printed");
  const SettingFlags flags(*command);
  command->callback([&run, flags, options] {
    run = [flags, options] {
      SettingSources sources;
      Settings settings = flags.resolve(sources);
      if (set_up(settings, *options)) settings = flags.resolve(sources);
      return serve(settings, sources);
    };
  });
}

void add_demo(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("demo",
                                     "Serve a box that needs no network and has a month behind it, to show and to try. "
                                     "Without --data it is in a temporary folder, and gone at the end");
  const auto options = std::make_shared<demo::Options>();
  command->add_flag("--reset", options->reset, "with --data: start over");
  command->add_option("--days", options->days, "length of its past [30]")->check(CLI::Range(1, 90));
  command->add_option("--outside", options->outside,
                      "address of the web site that stands for the world outside [" + options->outside + "]");
  const SettingFlags flags(*command);
  command->callback([&run, flags, options] { run = [flags, options] { return run_demo(flags, *options); }; });
}

void add_init(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("init", "Set up a data folder: master key, settings and admin account");
  const auto options = std::make_shared<InitOptions>();
  command->add_option("--email", options->email, "e-mail address of the admin")->required();
  add_password(*command, options->password, "password of the admin; default: a random one, which is printed");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY"});
  command->callback([&run, flags, options] {
    run = [flags, options] {
      const auto settings = flags.resolve();
      become_owner(DataFolder(settings.data));
      return init(settings, *options, std::cout);
    };
  });
}

void add_backup(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("backup", "Back up a box, running or not");
  const auto options = std::make_shared<BackupOptions>();
  command->add_option("--to", options->to, "folder of the backup; an existing backup there is updated")->required();
  command->add_flag("--with-key", options->with_key,
                    "include master.key: the backup alone then gives access to every secret of the box");
  command
      ->add_option("--as", options->acting_as,
                   "your name, or an admin's e-mail address, for the audit log [the system user]")
      ->type_name("NAME");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY", "BACKEND_LISTEN", "INTERNAL_API_KEY"});
  command->callback([&run, flags, options] { run = [flags, options] { return backup(flags.resolve(), *options); }; });
}

void add_restore(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("restore", "Create a data folder from a backup");
  const auto options = std::make_shared<RestoreOptions>();
  command->add_option("--from", options->from, "folder of the backup, or s3://BUCKET/FOLDER of STANDBY_S3_ENDPOINT")
      ->required();
  command->add_option("--at", options->at, "with a bucket: the box as it was then; default: the newest")
      ->type_name("2026-01-31T12:00:00Z");
  command->add_option("--key", options->key_file, "master.key of the box that was backed up")->type_name("FILE");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY", "STORE_URL", "STANDBY_S3_ENDPOINT",
                                      "STANDBY_S3_REGION", "STANDBY_S3_ACCESS_KEY_ID", "STANDBY_S3_SECRET_ACCESS_KEY"});
  command->callback(
      [&run, flags, options] { run = [flags, options] { return restore(*options, flags.resolve(false)); }; });
}

void add_verify(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand(
      "verify",
      "Check every file, record and index of a stopped box. Exit code 0: sound; 1: damaged; 2: it cannot be "
      "checked; 3: sound, but the log ends in the middle of a write");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY"});
  command->callback([&run, flags] { run = [flags] { return verify(flags.resolve()); }; });
}

void add_rollback(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("rollback", "Go back to the store before the last upgrade; stop the box first");
  const Confirmation confirmation(*command);
  const SettingFlags flags(*command, {"AGENTBOX_DATA"});
  command->callback(
      [&run, flags, confirmation] { run = [flags, confirmation] { return rollback(flags.resolve(), confirmation); }; });
}

void add_health(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand(
      "health", "Ask the box on this machine whether it is healthy. Exit code 0: it is; 1: it is not, or none answers");
  const SettingFlags flags(*command, {"AGENTBOX_DATA", "BACKEND_LISTEN"});
  command->callback([&run, flags] { run = [flags] { return health(flags.resolve()); }; });
}

void add_openapi(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("openapi", "Print the OpenAPI document of a listener");
  const auto listener = std::make_shared<std::string>("web");
  command->add_option("listener", *listener, "web, backend or summarizer [web]")
      ->check(CLI::IsMember({"web", "backend", "summarizer"}));
  command->callback([&run, listener] { run = [listener] { return openapi(*listener); }; });
}

void add_routes(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("routes", "Print the routes of a listener, a line each");
  const auto listener = std::make_shared<std::string>("web");
  command->add_option("listener", *listener, "web or backend [web]")->check(CLI::IsMember({"web", "backend"}));
  command->callback([&run, listener] { run = [listener] { return routes(*listener); }; });
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
  command->add_option("--boot", *boot, "boot file of the agent [" + *boot + "]");
  command->add_flag("--check", *check,
                    "only check whether the agent in this container answers; exit code 0 if it does");
  command->callback([&run, boot, check] {
    run = [boot, check] { return *check ? agent_process::check() : agent_process::run(*boot); };
  });
}

void add_document(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("document", "Make text of a document; the box starts these");
  command->group("");
  const auto kind = std::make_shared<std::string>();
  command->add_option("kind", *kind)->required();
  command->callback([&run, kind] { run = [kind] { return documents::convert(*kind); }; });
}

void add_summarizer(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("summarizer", "Serve the web summarizer alone; the box starts its own");
  const auto box = std::make_shared<std::optional<pid_t>>();
  command->add_option("--box", *box)->group("");
  const SettingFlags flags(*command, {"SUMMARIZER_LISTEN", "SUMMARIZER_ALLOW_PRIVATE", "SUMMARIZER_CACHE_MB",
                                      "SUMMARIZER_USER_AGENT", "LOG_LEVEL"});
  command->callback([&run, flags, box] { run = [flags, box] { return summarizer(flags.resolve(false), *box); }; });
}

void add_spawn(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("spawn", "Start agents and commands for a box; the box starts it");
  command->group("");
  const auto options = std::make_shared<sandbox::SpawnOptions>();
  const auto names = std::make_shared<SpawnNames>();
  command->add_option("--agents", options->agents);
  command->add_option("--hidden", options->hidden);
  command->add_option("--user", options->box.user);
  command->add_option("--group", options->box.group);
  command->add_option("--first-user", options->first_user);
  command->add_option("--tools", options->tools);
  command->add_option("--packages", options->packages);
  command->add_option("--workspace", options->workspace);
  command->add_option("--connect", names->connect);
  command->add_option("--account", names->account);
  command->callback([&run, options, names] { run = [options, names] { return spawn(*options, *names); }; });
}

// Names the unknown argument, with the nearest known one; otherwise returns CLI11's message.
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
  if (const auto unknown = app.remaining(true); !unknown.empty()) {
    const std::string name = unknown.front().substr(0, unknown.front().find('='));
    if (std::ranges::find(known, name) != known.end())
      return name + " comes after the command: " + path + name + " ..." + advice;
    const bool is_option = name.starts_with('-');
    if (!is_option && command->get_subcommands(nullptr).empty()) return "unexpected argument \"" + name + "\"" + advice;
    const std::string what = std::string(is_option ? "unknown option" : "unknown command") + " \"" + name + "\"";
    if (const auto meant = nearest(name, known)) return what + "; did you mean \"" + *meant + "\"?";
    return what + advice;
  }
  std::string message = error.what();
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  return message + advice;
}

int complain(const std::string& message) {
  std::cerr << "agentbox: " << message << '\n';
  return 2;
}

// Returns the exit code if nothing is left to run. The parser is freed before the command runs.
std::optional<int> parse_arguments(int argc, char** argv, const BuildFacts& facts, Run& chosen) {
  CLI::App app("agentbox hosts AI agents on one box.", "agentbox");
  app.set_version_flag("--version", std::string("agentbox ") + version);
  app.require_subcommand(1);
  add_serve(app, chosen);
  add_setup(app, chosen);
  add_init(app, chosen);
  add_demo(app, chosen);
  add_overview(app, chosen);
  add_logs(app, chosen);
  add_own_channels(app, chosen);
  add_admin(app, chosen);
  add_backup(app, chosen);
  add_restore(app, chosen);
  add_verify(app, chosen);
  add_pack(app, chosen);
  add_unpack(app, chosen);
  add_standby(app, chosen);
  add_store(app, chosen);
  add_migrate_store(app, chosen);
  add_rollback(app, chosen);
  add_images(app, chosen);
  add_catalogue(app, chosen);
  add_mcp_packages(app, chosen);
  add_health(app, chosen);
  add_doctor(app, chosen, facts);
  add_openapi(app, chosen);
  add_routes(app, chosen);
  add_settings(app, chosen);
  add_version(app, chosen, facts);
  add_completion(app, chosen);
  add_manual(app, chosen);
  add_agent(app, chosen);
  add_document(app, chosen);
  add_summarizer(app, chosen);
  add_spawn(app, chosen);
  add_examples(app);
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

int run(int argc, char** argv, const BuildFacts& facts) {
  Run chosen;
  if (const auto ended = parse_arguments(argc, argv, facts, chosen)) return *ended;
  // A process of the same user can have the kernel send it, for a descriptor of its own, and it would end this one.
  std::signal(SIGIO, SIG_IGN);
  try {
    return chosen();
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

}  // namespace agentbox::cli
