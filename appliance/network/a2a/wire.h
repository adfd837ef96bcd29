// Tasks and messages as A2A writes them, in version 1.0 and in that of before, 0.3.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/network/a2a/records.h"
#include "web/result.h"

namespace a2a {

enum class Version { v1, legacy };

// A message as it was received.
struct ReceivedMessage {
  std::string context, task;    // may be empty
  boost::json::object message;  // in the form of 1.0
  std::string text;             // of its parts
};
// invalid, naming the field, also for parts that an agent cannot read: files.
web::Result<ReceivedMessage> read_message(const boost::json::object& params);

// `history`: whether the request's message is included.
boost::json::object task_json(const Task&, Version, bool history = true, bool artifacts = true);
// Events of a stream.
boost::json::object artifact_event(const Task&, Version, std::string piece, bool is_first);
boost::json::object status_event(const Task&, Version);

// TASK_STATE_COMPLETED or completed.
std::string state_name(State, Version);
std::optional<State> state_named(std::string_view name, Version);

}  // namespace a2a
