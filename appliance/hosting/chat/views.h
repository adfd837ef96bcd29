// Messages in answers of routes.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/chat/search.h"

namespace chat {

struct MessageItem {
  std::string id;
  Role role;
  std::string content;
  store::Time createdAt;
  // Only for messages of the user.
  std::optional<Delivery> delivery;
  std::optional<std::string> error;
  // Only for answers: the model, and whether the answer was stopped before its end.
  std::optional<std::string> model;
  std::optional<bool> stopped;
};
BOOST_DESCRIBE_STRUCT(MessageItem, (), (id, role, content, createdAt, delivery, error, model, stopped))

struct Stopped {
  bool success = true;
  std::int64_t stopped = 0;  // exchanges
};
BOOST_DESCRIBE_STRUCT(Stopped, (), (success, stopped))

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
  std::optional<std::string> next;  // of a search that has not looked through everything
};
BOOST_DESCRIBE_STRUCT(History, (), (messages, count, next))

Sent view(Answer);
History view(std::vector<Message>);
History view(Found);

}  // namespace chat
