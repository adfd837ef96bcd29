#include "appliance/hosting/memory/routes.h"

#include <functional>

#include "appliance/hosting/memory/handlers.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace memory {

namespace {

const web::RateLimit memory_rate{.group = "memory", .limit = 100};

constexpr auto searching =
    "With `query` the facts that share a word with it, best match first; otherwise the newest `limit` (100), oldest "
    "first. These are the facts that the agent stores and recalls with its memory tools, whether it is running or not. "
    "502 when a running agent does not return them, for example one of a foreign image.";

constexpr auto adding = "Returns the existing fact if it is already stored. 409 when the agent remembers 1,000 facts.";

constexpr auto removing = "Returns the removed fact. The ids are in the body or, without a body, in the query.";

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
