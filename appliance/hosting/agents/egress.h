// Where an agent's pages may come from: `egress` in its config. Its process reaches nothing but the box in any case
// (runtime/agent_confinement.h).
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace agents {

struct Egress {
  enum class Kind { web, none, list } kind = Kind::web;
  std::vector<std::string> hosts;  // of a list, lower case; ".example.org" stands for all names under example.org
};

// "web" (also if it is missing), "none", or up to 100 host names. invalid, naming the field.
web::Result<Egress> read_egress(const boost::json::object& config);
web::Result<Egress> read_egress(const boost::json::value&, const std::string& field);
boost::json::value shown(const Egress&);  // as it is read

// Whether all that `egress` admits is admitted by `bound`.
bool covers(const Egress& bound, const Egress& egress);
// What both admit.
Egress common(const Egress& bound, const Egress& egress);

}  // namespace agents
