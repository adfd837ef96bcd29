#include "appliance/hosting/agent_process/memory_endpoint.h"

#include "web/routes/endpoint.h"

namespace agent_process {

namespace {

using web::Request;
using web::Response;
using web::Result;
using Answer = web::Task<Result<Response>>;

struct SearchQuery {
  std::optional<web::Prose<0, 500>> query;
  std::optional<web::Integer<1, 1'000>> limit;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (query, limit))

struct AddRequest {
  web::Prose<1, 2'000> text;
};
BOOST_DESCRIBE_STRUCT(AddRequest, (), (text))

struct RemoveQuery {
  web::Text<1, 32> id;
};
BOOST_DESCRIBE_STRUCT(RemoveQuery, (), (id))

struct Facts {
  std::vector<Fact> memories;
};
BOOST_DESCRIBE_STRUCT(Facts, (), (memories))

}  // namespace

std::vector<web::Route> memory_routes(Memory& memory, boost::asio::thread_pool& files, const web::Guard& guard) {
  auto search = [&memory, &files](Request&, SearchQuery query) -> Answer {
    const std::string words = query.query ? std::move(*query.query) : std::string();
    const auto limit = std::size_t(query.limit ? query.limit->value : 1'000);
    const auto work = [&] { return memory.recall(words, limit); };
    Facts answer;
    answer.memories = co_await web::offload(files, work);
    co_return web::reply(answer, 200);
  };
  auto add = [&memory, &files](Request&, AddRequest body) -> Answer {
    const auto work = [&] { return memory.remember(body.text); };
    const auto fact = co_await web::offload(files, work);
    if (!fact) co_return fact.error();
    co_return web::reply(*fact, 200);
  };
  auto remove = [&memory, &files](Request&, RemoveQuery query) -> Answer {
    const auto work = [&] { return memory.remove(query.id); };
    const auto removed = co_await web::offload(files, work);
    if (!removed) co_return removed.error();
    if (!*removed) co_return web::not_found("No such memory");
    co_return web::reply(**removed, 200);
  };
  return {
      {web::GET, "/v1/memory", guard, nullptr, web::query<SearchQuery>(search).returns<Facts>(),
       "Search the agent's memory"},
      {web::POST, "/v1/memory", guard, nullptr, web::body<AddRequest>(add).returns<Fact>(), "Add a fact"},
      {web::DELETE, "/v1/memory", guard, nullptr, web::query<RemoveQuery>(remove).returns<Fact>(), "Remove a fact"},
  };
}

}  // namespace agent_process
