#include "appliance/hosting/memory/memory.h"
#include "web/endpoint.h"

namespace memory {

namespace {

using web::Request;
using web::Response;
using web::Result;
using Handled = web::Task<Result<Response>>;

const web::RateLimit memory_rate{.group = "memory", .limit = 100};

using AgentId = web::Text<1, 128>;

struct Search {
  AgentId agentId;
  std::optional<web::Text<0, 500>> query;
  std::optional<web::Integer<1, 1'000>> limit;
};
BOOST_DESCRIBE_STRUCT(Search, (), (agentId, query, limit))

struct Keep {
  AgentId agentId;
  web::Prose<1, 2'000> text;
};
BOOST_DESCRIBE_STRUCT(Keep, (), (agentId, text))

struct Which {
  AgentId agentId;
  web::Text<1, 32> memoryId;
};
BOOST_DESCRIBE_STRUCT(Which, (), (agentId, memoryId))

struct Item {
  std::string id, text, createdAt;
};
BOOST_DESCRIBE_STRUCT(Item, (), (id, text, createdAt))

struct List {
  std::vector<Item> memories;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(List, (), (memories, count))

struct One {
  bool success = true;
  Item memory;
};
BOOST_DESCRIBE_STRUCT(One, (), (success, memory))

Item item_of(Fact fact) { return {std::move(fact.id), std::move(fact.text), std::move(fact.at)}; }

Result<Response> answer_of(Result<Fact> fact) {
  if (!fact) return fact.error();
  const One answer{.memory = item_of(std::move(*fact))};
  return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> web_routes(Memories& service, const agentbox::Guards& guards) {
  auto search = [&service](Request& request, Search asked) -> Handled {
    const std::string query = asked.query ? std::move(*asked.query) : std::string();
    const auto limit = std::size_t(asked.limit ? asked.limit->value : 100);
    auto found = co_await service.find(request.caller.user_id, std::move(asked.agentId), query, limit);
    if (!found) co_return found.error();
    List answer;
    for (auto& fact : *found) answer.memories.push_back(item_of(std::move(fact)));
    answer.count = std::int64_t(answer.memories.size());
    co_return web::reply(answer, 200);
  };
  auto keep = [&service](Request& request, Keep wanted) -> Handled {
    auto fact = co_await service.keep(request.caller.user_id, std::move(wanted.agentId), std::move(wanted.text));
    co_return answer_of(std::move(fact));
  };
  auto remove = [&service](Request& request) -> Handled {
    auto which = request.body.empty() ? web::parse_query<Which>(request) : web::parse_body<Which>(request);
    if (!which) co_return which.error();
    auto fact = co_await service.remove(request.caller.user_id, std::move(which->agentId), std::move(which->memoryId));
    co_return answer_of(std::move(fact));
  };
  auto removal = web::plain(remove).returns<One>().describe(
      "What was removed. The ids come in the body or, without a body, in the query.");
  removal.body = web::schema_of<Which>;
  return {
      {web::GET, "/api/memory", guards.session, &memory_rate,
       web::query<Search>(search).returns<List>().describe(
           "With `query` what shares a word with it, the best match first; else the newest `limit` (100), oldest "
           "first. These are the facts that the agent itself keeps and recalls with its memory tools, whether it runs "
           "or not. 502 when a running agent does not say, as one of another make."),
       "What an agent remembers"},
      {web::POST, "/api/memory", guards.session, &memory_rate,
       web::body<Keep>(keep).returns<One>().describe(
           "A fact that is there already is answered as it is. 409 when the agent remembers 1,000 facts."),
       "Have an agent remember something"},
      {web::DELETE, "/api/memory", guards.session, &memory_rate, std::move(removal), "Have an agent forget something"},
  };
}

}  // namespace memory
