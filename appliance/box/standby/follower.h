// The side of the standby: follows a box with a store of its own, and asks a box from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "appliance/box/standby/invitation.h"
#include "appliance/foundation/data_folder.h"

namespace standby {

// HOST:PORT, also as https://HOST:PORT. Throws agentbox::UsageError.
struct Address {
  std::string host;
  std::uint16_t port = 0;
  static Address parse(const std::string& url);
};

// Follows the box until SIGTERM or SIGINT, and connects again after each failure. Says on standard output, with a line
// of JSON, each time it has everything that the box has. Throws agentbox::UsageError if it cannot begin at all.
int follow(const agentbox::DataFolder&, const std::string& url, const Invitation&);

enum class Answer {
  none,   // nothing listens there, or nothing has answered in time
  alive,  // something does, and has not been replaced
  fenced  // the box knows now that it was replaced
};
// Asks the box whether it is alive; with `fence`, tells it that it was replaced by the box of this epoch. Blocks, for
// up to `limit`. Throws agentbox::UsageError.
Answer ask_box(const std::string& url, const Invitation&, std::uint64_t epoch, bool fence,
               std::chrono::milliseconds limit);

}  // namespace standby
