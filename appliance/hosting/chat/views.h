// Messages as the routes show them.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/chat/chat.h"

namespace chat {

struct Item {
  std::string id;
  Role role;
  std::string content;
  store::Time createdAt;
  // Of the user's messages: whether the agent has answered, and why it could not.
  std::optional<Delivery> delivery;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(Item, (), (id, role, content, createdAt, delivery, error))

struct Sent {
  bool success = true;
  Item message;
  std::string model;
  boost::json::object usage;
};
BOOST_DESCRIBE_STRUCT(Sent, (), (success, message, model, usage))

struct History {
  std::vector<Item> messages;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(History, (), (messages, count))

Sent view(Answer);
History view(std::vector<Message>);

}  // namespace chat
