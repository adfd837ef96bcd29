#pragma once

#include <optional>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/config_check.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/chat/views.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace chat {

// All of them must outlive the rows.
struct Services {
  Chat& chat;
  const agents::AgentDirectory& agents;
  Conversations& conversations;
  const agents::ConfigRules& rules;
  boost::asio::thread_pool& blocking;
};

using ConversationId = web::Text<1, 64>;
using Title = web::Prose<1, 200>;

struct SendRequest {
  web::Text<1, 128> agentId;
  web::Prose<1, 32'000> message;
  std::optional<bool> stream;
  std::optional<ConversationId> conversationId;
  std::optional<bool> keep;  // a streamed answer goes on when its stream is closed
  std::optional<bool> allow;
  std::optional<web::List<web::Prose<1, 1'024>, 0, 8>> files;
};
BOOST_DESCRIBE_STRUCT(SendRequest, (), (agentId, message, stream, conversationId, keep, allow, files))

struct BranchRequest {
  web::Text<1, 200> before;
};
BOOST_DESCRIBE_STRUCT(BranchRequest, (), (before))

struct RewindRequest {
  web::Text<1, 200> message;
  std::optional<bool> preview;
};
BOOST_DESCRIBE_STRUCT(RewindRequest, (), (message, preview))

struct FollowQuery {
  web::Text<1, 128> agentId;
  web::Text<1, 200> messageId;  // of the question
};
BOOST_DESCRIBE_STRUCT(FollowQuery, (), (agentId, messageId))

struct StopRequest {
  web::Text<1, 128> agentId;
};
BOOST_DESCRIBE_STRUCT(StopRequest, (), (agentId))

struct PageQuery {
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 200>> before, q;
  std::optional<ConversationId> conversationId;
};
BOOST_DESCRIBE_STRUCT(PageQuery, (), (limit, before, q, conversationId))

struct HistoryQuery {
  web::Text<1, 128> agentId;
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 200>> before, q;
  std::optional<ConversationId> conversationId;
};
BOOST_DESCRIBE_STRUCT(HistoryQuery, (), (agentId, limit, before, q, conversationId))

// `conversation`: as the box calls it in `agentbox-conversation`; without it, the owner's first one.
struct TitleRequest {
  Title title;
  std::optional<ConversationId> conversation;
};
BOOST_DESCRIBE_STRUCT(TitleRequest, (), (title, conversation))

struct NewConversation {
  std::optional<Title> title;
};
BOOST_DESCRIBE_STRUCT(NewConversation, (), (title))

// An empty model or effort is the agent's own.
struct ConversationChange {
  std::optional<Title> title;
  std::optional<bool> archived, pinned;
  std::optional<web::Prose<0, 100>> folder;  // empty: none
  std::optional<web::Text<0, 200>> model;
  std::optional<web::Text<0, 20>> reasoningEffort;
};
BOOST_DESCRIBE_STRUCT(ConversationChange, (), (title, archived, pinned, folder, model, reasoningEffort))

struct OverviewQuery {
  std::optional<web::Integer<1, 500>> limit;
  std::optional<web::Text<1, 200>> q;
};
BOOST_DESCRIBE_STRUCT(OverviewQuery, (), (limit, q))

// /api/chat, /api/agents/:id/messages and /api/agents/:id/conversations.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace chat
