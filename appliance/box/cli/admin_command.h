// What the subcommands of `agentbox admin` share: the settings that find the box, and whom the command acts for.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <string>

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/setting_flags.h"

namespace agentbox::cli {

// Adds the flags of the connection and --as to `command`, and lets it run `act` once everything is parsed. A command
// that has subcommands of its own runs only without one of them. `run` must outlive the parser.
inline void connect(CLI::App& command, std::function<int()>& run, std::function<int(const BoxClient&)> act) {
  const SettingFlags flags(command, {"AGENTBOX_DATA", "BACKEND_LISTEN", "INTERNAL_API_KEY"});
  const auto acting_as = std::make_shared<std::string>();
  command
      .add_option("--as", *acting_as, "your name, or an admin's e-mail address, for the audit log [the system user]")
      ->type_name("NAME");
  command.callback([&command, &run, flags, acting_as, act = std::move(act)] {
    if (!command.get_subcommands().empty()) return;
    run = [flags, acting_as, act] {
      const Settings settings = flags.resolve();
      return act(BoxClient(settings, *acting_as));
    };
  });
}

// A path segment or the value of a query, with everything else than letters, digits, '.', '-', '_' and '@' encoded.
std::string escaped(const std::string& text);

}  // namespace agentbox::cli
