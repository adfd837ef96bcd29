// Handlers of the chat rows, with the structs of their requests. views.h has those of the answers.
#pragma once

#include <optional>

#include "appliance/hosting/chat/routes.h"
#include "appliance/hosting/chat/views.h"
#include "web/routes/endpoint.h"

namespace chat {

struct SendRequest {
  web::Text<1, 128> agentId;
  web::Prose<1, 32'000> message;
  std::optional<bool> stream;
};
BOOST_DESCRIBE_STRUCT(SendRequest, (), (agentId, message, stream))

struct StopRequest {
  web::Text<1, 128> agentId;
};
BOOST_DESCRIBE_STRUCT(StopRequest, (), (agentId))

struct PageQuery {
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 200>> before, q;
};
BOOST_DESCRIBE_STRUCT(PageQuery, (), (limit, before, q))

struct HistoryQuery {
  web::Text<1, 128> agentId;
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 200>> before, q;
};
BOOST_DESCRIBE_STRUCT(HistoryQuery, (), (agentId, limit, before, q))

web::Answer send_message(const Services&, const web::Request&, SendRequest);
web::Answer stop_answers(const Services&, const web::Request&, StopRequest);
// The agent is named by the query.
web::Answer show_history(const Services&, const web::Request&, HistoryQuery);
// The agent is named by the path.
web::Answer list_messages(const Services&, const web::Request&, PageQuery);
// The same for the agents of all users.
web::Answer list_messages_of_any_agent(const Services&, const web::Request&, PageQuery);

}  // namespace chat
