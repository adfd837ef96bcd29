// Whether the parts of the box work, for everybody: a word for each, no reasons and no figures.
#pragma once

#include <boost/describe.hpp>
#include <functional>
#include <string>
#include <vector>

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

}  // namespace status
