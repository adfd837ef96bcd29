// Where an agent's pages may come from: `egress` in its config. Its process reaches nothing but the box in any case
// (runtime/agent_confinement.h).
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "web/result.h"

namespace agents {

struct Egress {
  enum class Kind { web, none, list } kind = Kind::web;
  std::vector<std::string> hosts;  // of a list, lower case; ".example.org" stands for all names beneath example.org
};

// "web" (also if it is missing), "none", or up to 100 host names. invalid, naming the field.
web::Result<Egress> read_egress(const boost::json::object& config);

}  // namespace agents
