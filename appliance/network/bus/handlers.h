// Handlers of the rows of the bus, with the structs of their requests and answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/network/bus/routes.h"
#include "appliance/network/bus/signed_message.h"
#include "web/routes/endpoint.h"

namespace bus {

using AgentId = web::Text<1, 128>;

struct SendAnswer {
  bool success = true;
  std::string messageId;
};
BOOST_DESCRIBE_STRUCT(SendAnswer, (), (success, messageId))

struct MailboxQuery {
  AgentId agentId;
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Integer<1, 9'999'999'999'999'999>> before;
};
BOOST_DESCRIBE_STRUCT(MailboxQuery, (), (agentId, limit, before))

struct MessageView {
  std::int64_t id;
  std::string messageId, from, to, action;
  boost::json::object payload, context;
  store::Time timestamp, acceptedAt;
  bool read;
};
BOOST_DESCRIBE_STRUCT(MessageView, (), (id, messageId, from, to, action, payload, context, timestamp, acceptedAt, read))

struct MailboxAnswer {
  std::vector<MessageView> messages;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(MailboxAnswer, (), (messages, count))

struct DeadLetterQuery {
  std::optional<web::Integer<1, 500>> limit;
  std::optional<web::Text<1, 64>> before;
};
BOOST_DESCRIBE_STRUCT(DeadLetterQuery, (), (limit, before))

struct DeadLetterView {
  std::string id;
  Channel channel;
  std::string from, agentId, action;
  std::int64_t attempts;
  std::string error;
  store::Time createdAt, diedAt;
};
BOOST_DESCRIBE_STRUCT(DeadLetterView, (), (id, channel, from, agentId, action, attempts, error, createdAt, diedAt))

struct DeadLetterList {
  std::vector<DeadLetterView> deadLetters;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(DeadLetterList, (), (deadLetters, count))

struct DeadLetterAnswer {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(DeadLetterAnswer, (), (success, id))

struct UnreadQuery {
  std::optional<web::Integer<1, 100>> limit;
};
BOOST_DESCRIBE_STRUCT(UnreadQuery, (), (limit))

struct UnreadAnswer {
  std::vector<MessageView> messages;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(UnreadAnswer, (), (messages, count))

struct ReadRequest {
  web::List<web::Integer<1, 9'999'999'999'999'999>, 1, 100> ids;
};
BOOST_DESCRIBE_STRUCT(ReadRequest, (), (ids))

struct ReadAnswer {
  bool success = true;
  std::int64_t marked = 0;
};
BOOST_DESCRIBE_STRUCT(ReadAnswer, (), (success, marked))

web::Answer send_message(const Services&, const web::Request&, boost::json::object body);
web::Answer list_messages(const Services&, const web::Request&, MailboxQuery);
web::Answer list_dead_letters(const Services&, const web::Request&, DeadLetterQuery);
web::Answer replay_dead_letter(const Services&, const web::Request&);
web::Answer drop_dead_letter(const Services&, const web::Request&);
web::Answer list_unread(const Services&, const web::Request&, UnreadQuery);
web::Answer mark_read(const Services&, const web::Request&, ReadRequest);

}  // namespace bus
