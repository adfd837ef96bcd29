#include "appliance/hosting/agent_process/memory_door.h"

#include "web/endpoint.h"

namespace agent_process {

namespace {

using web::Request;
using web::Response;
using web::Result;
using Handled = web::Task<Result<Response>>;

struct Search {
  std::optional<web::Prose<0, 500>> query;
  std::optional<web::Integer<1, 1'000>> limit;
};
BOOST_DESCRIBE_STRUCT(Search, (), (query, limit))

struct Keep {
  web::Prose<1, 2'000> text;
};
BOOST_DESCRIBE_STRUCT(Keep, (), (text))

struct Which {
  web::Text<1, 32> id;
};
BOOST_DESCRIBE_STRUCT(Which, (), (id))

struct Facts {
  std::vector<Fact> memories;
};
BOOST_DESCRIBE_STRUCT(Facts, (), (memories))

}  // namespace

std::vector<web::Route> memory_routes(Memory& memory, boost::asio::thread_pool& files, const web::Guard& guard) {
  auto search = [&memory, &files](Request&, Search asked) -> Handled {
    const std::string query = asked.query ? std::move(*asked.query) : std::string();
    const auto limit = std::size_t(asked.limit ? asked.limit->value : 1'000);
    const auto work = [&] { return memory.recall(query, limit); };
    Facts answer;
    answer.memories = co_await web::offload(files, work);
    co_return web::reply(answer, 200);
  };
  auto keep = [&memory, &files](Request&, Keep wanted) -> Handled {
    const auto work = [&] { return memory.remember(wanted.text); };
    const auto fact = co_await web::offload(files, work);
    if (!fact) co_return fact.error();
    co_return web::reply(*fact, 200);
  };
  auto remove = [&memory, &files](Request&, Which which) -> Handled {
    const auto work = [&] { return memory.remove(which.id); };
    const auto removed = co_await web::offload(files, work);
    if (!removed) co_return removed.error();
    if (!*removed) co_return web::not_found("No such memory");
    co_return web::reply(**removed, 200);
  };
  return {
      {web::GET, "/v1/memory", guard, nullptr, web::query<Search>(search).returns<Facts>(), "What the agent remembers"},
      {web::POST, "/v1/memory", guard, nullptr, web::body<Keep>(keep).returns<Fact>(), "Have the agent remember"},
      {web::DELETE, "/v1/memory", guard, nullptr, web::query<Which>(remove).returns<Fact>(), "Have the agent forget"},
  };
}

}  // namespace agent_process
