// Messages between an owner and an agent.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/table.h"

namespace chat {

BOOST_DEFINE_ENUM_CLASS(Role, user, assistant)
// A user's message is `sent` while the box waits for the answer. Messages left `sent` by a stop of the box are reported
// as `failed` by Chat::history.
BOOST_DEFINE_ENUM_CLASS(Delivery, sent, answered, failed)

struct Message {
  std::int64_t owner = 0;
  // <agent id>.<milliseconds since the epoch, 13 digits><8 random characters>: one agent's messages are adjacent in
  // key order, oldest first.
  std::string id;
  std::string agent;
  Role role = Role::user;
  std::string content;
  std::string model;  // assistant: the model that answered
  Delivery delivery = Delivery::sent;
  std::string failure;      // failed: why, in a sentence
  bool is_stopped = false;  // assistant: the answer was stopped; content is what had arrived
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Message, (), (owner, id, agent, role, content, model, delivery, failure, is_stopped, created_at))

inline const store::Owned<Message> messages{{.family = "messages", .number = 32}, &Message::owner, &Message::id, {}};

}  // namespace chat
