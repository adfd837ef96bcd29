// Messages in answers of routes.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/chat/chat.h"

namespace chat {

struct MessageItem {
  std::string id;
  Role role;
  std::string content;
  store::Time createdAt;
  // Only for messages of the user.
  std::optional<Delivery> delivery;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(MessageItem, (), (id, role, content, createdAt, delivery, error))

struct Sent {
  bool success = true;
  MessageItem message;
  std::string model;
  boost::json::object usage;
};
BOOST_DESCRIBE_STRUCT(Sent, (), (success, message, model, usage))

struct History {
  std::vector<MessageItem> messages;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(History, (), (messages, count))

Sent view(Answer);
History view(std::vector<Message>);

}  // namespace chat
