// Where files pass between the running box and its commands (cli/exchange.h): under the data folder, which both see
// whatever view of the file system a service has. Emptied when the box starts.
#pragma once

#include "appliance/foundation/data_folder.h"

namespace maintenance {

// The code with which the box refuses to back up to a folder that it does not see as the command does, or may not
// write.
inline constexpr auto folder_not_reached = "FOLDER_NOT_REACHED";

inline std::filesystem::path exchange_folder(const agentbox::DataFolder& folder) { return folder.path() / "exchange"; }

}  // namespace maintenance
