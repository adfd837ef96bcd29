// `agentbox demo`: a box with everything on and no network, with a month behind it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "appliance/foundation/settings/load.h"

namespace demo {

struct Options {
  bool reset = false;  // start over in a folder that holds a demo
  int days = 30;       // of the past
  std::string outside = "127.0.0.1:3200";
};

// How the box of the demo is set up and served. `resolve` reads the settings again, after the folder has its own.
struct Commands {
  std::function<void(const agentbox::Settings&, const std::string& email, const std::string& password)> init;
  std::function<agentbox::Settings(agentbox::SettingSources&)> resolve;
  std::function<int(const agentbox::Settings&, const agentbox::SettingSources&)> serve;
};

// Makes the folder and its past if there is none yet, prints the addresses and how to sign in, and serves until SIGTERM
// or SIGINT. Throws UsageError if `folder` holds something else than a demo, or one whose past was cut off.
int run(const std::filesystem::path& folder, const Options&, const Commands&);

}  // namespace demo
