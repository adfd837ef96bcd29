// What `agentbox setup` asks on a terminal.
#pragma once

#include <string>
#include <vector>

#include "appliance/foundation/settings/load.h"

namespace agentbox::cli {

enum class Tls { as_it_is, none, files, own_authority, public_authority };

// The changes of a setup: settings by name, as text, and what else it does.
struct SetupAnswers {
  Flags settings;
  Tls tls = Tls::as_it_is;
  std::vector<std::string> names;  // that the own authority certifies
  std::string email, password;     // of the first admin
};

// Asks for everything that was not given, with the settings' values as defaults; an empty answer keeps the default.
// `is_new`: there is no box yet. Throws UsageError at the end of the input.
void ask(SetupAnswers&, const Settings&, bool is_new);

// An answer on one line. Throws UsageError at the end of the input.
std::string ask_for(const std::string& prompt, const std::string& fallback);

// The machine's host name and its addresses, but for loopback ones.
std::vector<std::string> own_names();

}  // namespace agentbox::cli
