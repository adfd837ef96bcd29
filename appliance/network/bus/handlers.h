#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/gate/handlers.h"
#include "appliance/network/bus/bus.h"
#include "appliance/network/bus/mailbox.h"
#include "appliance/network/bus/signed_message.h"
#include "appliance/network/bus_keys/bus_keys.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace bus {

// What the rows depend on; all of it must outlive them.
struct Services {
  Bus& bus;
  Mailbox& mailbox;
  bus_keys::BusKeys& keys;
  store::System system;
  gate::Gate& gate;
};

// Of the gate's acts that send a message.
inline constexpr auto gate_kind = "message";
gate::Executor gate_executor(Bus&);

inline constexpr auto send_path = "/api/underground/bus/send";

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

// The owner's view: mailboxes and dead letters.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// Sending, and the agents' own mailboxes.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace bus
