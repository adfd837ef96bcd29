#include "appliance/agent/memory_endpoint.h"

#include "appliance/agent/workspace_path.h"
#include "web/routes/endpoint.h"

namespace agent_process {

namespace {

using web::Answer;
using web::Request;
using web::Response;
using web::Result;

struct SearchQuery {
  std::optional<web::Prose<0, 500>> query;
  std::optional<web::Integer<1, 1'000>> limit;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (query, limit))

// With `block` the text of that block, else a fact.
struct AddRequest {
  web::Prose<1, 4'000> text;
  std::optional<web::Text<1, 64>> block;
};
BOOST_DESCRIBE_STRUCT(AddRequest, (), (text, block))

struct RemoveQuery {
  web::Text<1, 32> id;
};
BOOST_DESCRIBE_STRUCT(RemoveQuery, (), (id))

struct Facts {
  std::vector<Fact> memories;
};
BOOST_DESCRIBE_STRUCT(Facts, (), (memories))

}  // namespace

std::vector<web::Route> memory_routes(Memory& memory, Loop& loop, boost::asio::thread_pool& files,
                                      const web::Guard& guard) {
  auto search_of_peer = [&loop](Request& request, SearchQuery query) -> Answer {
    const std::string words = query.query ? std::move(*query.query) : std::string();
    const auto limit = std::size_t(query.limit ? query.limit->value : 1'000);
    const auto& peer = request.param("peer");
    if (!is_conversation_name(peer)) co_return web::not_found();
    auto recall = [words, limit](Memory& of_peer) -> Result<std::vector<Fact>> { return of_peer.recall(words, limit); };
    auto found = co_await loop.with_memory_of(peer, std::move(recall));
    if (!found) co_return found.error();
    Facts answer;
    answer.memories = std::move(*found);
    co_return web::reply(answer, 200);
  };
  auto remove_of_peer = [&loop](Request& request, RemoveQuery query) -> Answer {
    const auto& peer = request.param("peer");
    if (!is_conversation_name(peer)) co_return web::not_found();
    const std::string id = query.id;
    auto remove = [id](Memory& of_peer) -> Result<std::vector<Fact>> {
      const auto fact = of_peer.remove(id);
      if (!fact) return fact.error();
      if (!*fact) return web::not_found("No such memory");
      return std::vector<Fact>{**fact};
    };
    const auto removed = co_await loop.with_memory_of(peer, std::move(remove));
    if (!removed) co_return removed.error();
    co_return web::reply(removed->front(), 200);
  };
  auto search = [&memory, &files](Request&, SearchQuery query) -> Answer {
    const std::string words = query.query ? std::move(*query.query) : std::string();
    const auto limit = std::size_t(query.limit ? query.limit->value : 1'000);
    const auto work = [&] { return memory.recall(words, limit); };
    Facts answer;
    answer.memories = co_await web::offload(files, work);
    co_return web::reply(answer, 200);
  };
  auto add = [&memory, &files](Request&, AddRequest body) -> Answer {
    const auto work = [&] {
      return body.block ? memory.write_block(*body.block, body.text) : memory.remember(body.text);
    };
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
      {web::POST, "/v1/memory", guard, nullptr, web::body<AddRequest>(add).returns<Fact>(),
       "Add a fact, or write a block"},
      {web::DELETE, "/v1/memory", guard, nullptr, web::query<RemoveQuery>(remove).returns<Fact>(), "Remove a fact"},
      {web::GET, "/v1/peers/:peer/memory", guard, nullptr, web::query<SearchQuery>(search_of_peer).returns<Facts>(),
       "Search what is remembered of a peer"},
      {web::DELETE, "/v1/peers/:peer/memory", guard, nullptr, web::query<RemoveQuery>(remove_of_peer).returns<Fact>(),
       "Remove a fact about a peer"},
  };
}

}  // namespace agent_process
