// The history of the demo: what two people and three agents did on a box, day by day. It is lived through on the
// running box, over its own interface, with a fake clock that is moved forward.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "appliance/demo/api.h"

namespace demo {

struct HistoryOptions {
  Addresses box;
  std::filesystem::path folder;  // the box's data folder, for the agents' tokens
  std::string outside;           // URL of the fake services
  Account admin, user;
  int days = 30;
  std::vector<std::string> models;  // asked in turn by the user's own program; empty: the box's choice
  bool can_register = true;         // else the administrator makes the accounts
  std::function<void(int day, int of)> progress;
};

// Blocks until the clock is the machine's own again. Expects a box without accounts but the administrator's, whose
// clock is `days` days behind. Throws with what went wrong.
void seed_history(const HistoryOptions&);

// The first day of that history.
std::chrono::sys_days first_day(int days);

}  // namespace demo
