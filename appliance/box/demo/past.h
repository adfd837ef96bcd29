// The past of the demo: what two people and three agents did on a box, day by day. It is lived through on the running
// box, over its own interface, with a clock that is moved forward.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "appliance/box/demo/api.h"

namespace demo {

struct Account {
  std::string email, password;
};

struct PastOptions {
  Addresses box;
  std::filesystem::path folder;  // the box's data folder, for the agents' tokens
  std::string outside;           // address of the web site outside
  Account admin, user;
  int days = 30;
  std::function<void(int day, int of)> progress;
};

// Blocks until the clock is the machine's own again. Expects a box without accounts but the administrator's, whose
// clock is `days` days behind. Throws with what went wrong.
void live_through(const PastOptions&);

// The beginning of that past.
std::chrono::sys_days first_day(int days);

}  // namespace demo
