// Where files pass between the running box and its commands (cli/exchange.h): beneath the data folder, which both see
// whatever view of the file system a service has. Emptied when the box starts.
#pragma once

#include "appliance/foundation/data_folder.h"

namespace maintenance {

inline std::filesystem::path exchange_folder(const agentbox::DataFolder& folder) { return folder.path() / "exchange"; }

}  // namespace maintenance
