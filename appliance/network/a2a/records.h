// Tasks that others gave to agents over A2A.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "store/store.h"

namespace a2a {

BOOST_DEFINE_ENUM_CLASS(State, submitted, working, completed, failed, canceled)

constexpr bool is_final(State state) {
  return state == State::completed || state == State::failed || state == State::canceled;
}

struct Task {
  std::int64_t owner = 0;  // the agent's
  std::string id;          // task_ and 24 random characters
  std::string agent;
  std::string caller;  // "user:7" or "agent:ag_..."
  std::string context;
  State state = State::submitted;
  boost::json::object message;  // the request in the form of 1.0
  std::string prompt;           // its text for the agent
  std::string answer;
  std::string failure;  // a sentence
  store::Time created_at, updated_at;
  std::optional<bool> running;  // true until the state is final
};
BOOST_DESCRIBE_STRUCT(Task, (),
                      (owner, id, agent, caller, context, state, message, prompt, answer, failure, created_at,
                       updated_at, running))

// The newest of a caller first.
inline std::string caller_key(const std::string& agent, const std::string& caller) {
  return agent + "/" + caller + "/";
}

inline const store::Owned<Task> table{{.family = "a2a_tasks", .number = 79},
                                      &Task::owner,
                                      &Task::id,
                                      {{1, "caller", false, false,
                                        [](const Task& task) {
                                          const auto newest_first =
                                              store::ordered_bytes(-task.created_at.time_since_epoch().count());
                                          return std::optional(caller_key(task.agent, task.caller) + newest_first);
                                        }},
                                       store::index<Task>(2, "running", &Task::running),
                                       store::index<Task>(3, "created", &Task::created_at)}};

}  // namespace a2a
