#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/chat/conversations.h"
#include "appliance/hosting/memory/memory.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace memory {

// All of them must outlive the rows.
struct Services {
  Memories& memories;
  const chat::Conversations& conversations;
};

using AgentId = web::Text<1, 128>;
using ConversationId = web::Text<1, 64>;

struct SearchQuery {
  AgentId agentId;
  std::optional<web::Text<0, 500>> query;
  std::optional<web::Integer<1, 1'000>> limit;
  std::optional<ConversationId> conversationId;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (agentId, query, limit, conversationId))

struct AddRequest {
  AgentId agentId;
  web::Prose<1, 4'000> text;
  std::optional<web::Text<1, 64>> block;
};
BOOST_DESCRIBE_STRUCT(AddRequest, (), (agentId, text, block))

struct RemoveRequest {
  AgentId agentId;
  web::Text<1, 32> memoryId;
  std::optional<ConversationId> conversationId;
};
BOOST_DESCRIBE_STRUCT(RemoveRequest, (), (agentId, memoryId, conversationId))

struct FactItem {
  std::string id, text, createdAt;
  std::string block;  // its name, if it is a block; empty for a fact
};
BOOST_DESCRIBE_STRUCT(FactItem, (), (id, text, createdAt, block))

struct FactList {
  std::vector<FactItem> memories;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(FactList, (), (memories, count))

struct FactAnswer {
  bool success = true;
  FactItem memory;
};
BOOST_DESCRIBE_STRUCT(FactAnswer, (), (success, memory))

// /api/memory.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace memory
