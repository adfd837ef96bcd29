// Whether the parts of the box work, for everybody: a word for each, no reasons and no figures.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "store/codec.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace status {

BOOST_DEFINE_ENUM_CLASS(State, up, degraded)

struct Part {
  std::string name;  // box, store, models, agents
  State state = State::up;
};
BOOST_DESCRIBE_STRUCT(Part, (), (name, state))

// How each part is now. Callable from every thread.
struct Checks {
  std::function<bool()> store_works, models_work, agents_work;
};

// The part `box` is up, or nobody could ask.
std::vector<Part> parts_of(const Checks&);
// up if all parts are.
State overall(const std::vector<Part>&);

struct Services {
  bool is_public = false;  // STATUS_PAGE
  Checks checks;
};

struct StatusView {
  State status = State::up;
  std::vector<Part> parts;
  store::Time timestamp{};
};
BOOST_DESCRIBE_STRUCT(StatusView, (), (status, parts, timestamp))

// /status and GET /api/status.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace status
