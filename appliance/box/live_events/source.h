// Things of users whose changes are events: agents, scheduled prompts, limits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "store/table.h"

namespace live_events {

// By id, the data that an event about the thing has: a JSON object.
using States = std::map<std::string, std::string>;

// One kind of things. Both functions are callable from every thread.
struct Source {
  std::string event;  // the name of its events
  // Moves whenever read() may answer something else. Only reads memory: it is asked several times a second.
  std::function<std::uint64_t(store::UserId)> version;
  std::function<States(store::UserId)> read;  // blocks
};

// The data of an event about a thing that is gone.
std::string removed(const std::string& id);

}  // namespace live_events
