// What keeps agents apart from one another, from the box, and from its network.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

namespace runtime {

// none: an agent's process can read the box's files and those of other agents. basic: it cannot, by one means. strong:
// by a user of its own and by what it sees of the files and processes, and it reaches the box's ports alone. container:
// by the Docker Engine.
BOOST_DEFINE_ENUM_CLASS(IsolationLevel, none, basic, strong, container)

struct Isolation {
  IsolationLevel level = IsolationLevel::none;
  std::vector<std::string> by;     // what isolates: "own user", "system call filter"
  std::vector<std::string> lacks;  // what does not, with the reason: "own user: the box does not run as root"
};

// "strong: own user, ...; without ...", for a line of the log.
std::string to_string(const Isolation&);

}  // namespace runtime
