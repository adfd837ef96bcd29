#include "appliance/hosting/memory/handlers.h"

#include <functional>

#include "appliance/access/key_guards.h"

namespace memory {

namespace {

using web::Request;

FactItem item_of(Fact fact) {
  return {std::move(fact.id), std::move(fact.text), std::move(fact.at), std::move(fact.block)};
}

web::Result<web::Response> answer_of(web::Result<Fact> fact) {
  if (!fact) return fact.error();
  const FactAnswer answer{.memory = item_of(std::move(*fact))};
  return web::reply(answer, 200);
}

// The peer with whom the conversation is, as the agent calls it; empty without a conversation.
web::Result<std::string> peer_of(const Services& services, const Request& request, const AgentId& agent,
                                 const std::optional<ConversationId>& conversation) {
  if (!conversation) return std::string();
  const auto found = services.conversations.find(request.caller.user_id, agent, *conversation);
  if (!found) return found.error();
  if (found->audience != chat::Audience::peer) return web::invalid("conversationId must be a conversation with a peer");
  return chat::peer_name_at_agent(found->peer);
}

web::Answer search_memory(const Services& services, const Request& request, SearchQuery query) {
  const std::string words = query.query ? std::move(*query.query) : std::string();
  const auto limit = std::size_t(query.limit ? query.limit->value : 100);
  auto peer = peer_of(services, request, query.agentId, query.conversationId);
  if (!peer) co_return peer.error();
  auto found =
      co_await services.memories.find(request.caller.user_id, std::move(query.agentId), words, limit, std::move(*peer));
  if (!found) co_return found.error();
  FactList answer;
  for (auto& fact : *found) answer.memories.push_back(item_of(std::move(fact)));
  answer.count = std::int64_t(answer.memories.size());
  co_return web::reply(answer, 200);
}

web::Answer add_fact(const Services& services, const Request& request, AddRequest body) {
  std::string block = body.block ? std::move(*body.block) : std::string();
  auto added = co_await services.memories.add(request.caller.user_id, std::move(body.agentId), std::move(body.text),
                                              std::move(block));
  co_return answer_of(std::move(added));
}

web::Answer remove_fact(const Services& services, const Request& request, RemoveRequest body) {
  auto peer = peer_of(services, request, body.agentId, body.conversationId);
  if (!peer) co_return peer.error();
  co_return answer_of(co_await services.memories.remove(request.caller.user_id, std::move(body.agentId),
                                                        std::move(body.memoryId), std::move(*peer)));
}

const web::RateLimit memory_rate{.group = "memory", .limit = 100};

constexpr auto searching =
    "With `query` the facts that share a word with it, best match first; otherwise the newest `limit` (100), oldest "
    "first. These are the facts that the agent stores and recalls with its memory tools, whether it is running or not. "
    "With `conversationId`, that of a peer, what the agent remembers of that peer. "
    "502 when a running agent does not return them, for example one of a foreign image.";

constexpr auto adding =
    "Returns the existing fact if it is already stored. With `block` the text replaces that block of the agent's "
    "memory, "
    "which is in all of its prompts: about the user, current projects, or another of up to eight. 409 when the agent "
    "remembers 1,000 facts or has eight blocks.";

constexpr auto removing =
    "Returns the removed fact. With `conversationId` it is one about that peer. The ids are in the body or, without a "
    "body, in the query.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  using key_scopes::Scope;
  const auto& reader = agentbox::session_or_key(guards, Scope::agents_read);
  const auto& writer = agentbox::session_or_key(guards, Scope::agents_write);
  return {
      {web::GET, "/api/memory", reader, &memory_rate,
       web::query<SearchQuery>(on(search_memory)).returns<FactList>().describe(searching), "Search an agent's memory"},
      {web::POST, "/api/memory", writer, &memory_rate,
       web::body<AddRequest>(on(add_fact)).returns<FactAnswer>().describe(adding), "Add a fact to an agent's memory"},
      {web::DELETE, "/api/memory", writer, &memory_rate,
       web::body_or_query<RemoveRequest>(on(remove_fact)).returns<FactAnswer>().describe(removing),
       "Remove a fact from an agent's memory"},
  };
}

}  // namespace memory
