// Every setting, declared once: the flag, the environment variable and the key of the config file are the same name in
// three spellings, --foo-bar, FOO_BAR and foo_bar.
#pragma once

#include <string>
#include <vector>

#include "appliance/foundation/settings/setting_types.h"

namespace agentbox {

// The data folder is the first.
const std::vector<Setting>& settings_table();

// The table as a page for docs/.
std::string settings_markdown();

}  // namespace agentbox
