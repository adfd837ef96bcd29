// What agents can do on this box besides talking: commands and browsers, which share what starts them.
#pragma once

#include <string>

#include "appliance/runtime/commands.h"

namespace hosting {

class Module;

// Starts commands and browsers.
runtime::CommandLauncher make_launcher(Module&);
// A sentence; empty: agents have them.
std::string why_no_commands(const Module&);
std::string why_no_browser(const Module&, const runtime::CommandLauncher&);

}  // namespace hosting
