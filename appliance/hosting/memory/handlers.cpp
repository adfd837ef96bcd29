#include "appliance/hosting/memory/handlers.h"

namespace memory {

namespace {

using web::Request;

FactItem item_of(Fact fact) { return {std::move(fact.id), std::move(fact.text), std::move(fact.at)}; }

web::Result<web::Response> answer_of(web::Result<Fact> fact) {
  if (!fact) return fact.error();
  const FactAnswer answer{.memory = item_of(std::move(*fact))};
  return web::reply(answer, 200);
}

}  // namespace

web::Answer search_memory(const Services& services, const Request& request, SearchQuery query) {
  const std::string words = query.query ? std::move(*query.query) : std::string();
  const auto limit = std::size_t(query.limit ? query.limit->value : 100);
  auto found = co_await services.memories.find(request.caller.user_id, std::move(query.agentId), words, limit);
  if (!found) co_return found.error();
  FactList answer;
  for (auto& fact : *found) answer.memories.push_back(item_of(std::move(fact)));
  answer.count = std::int64_t(answer.memories.size());
  co_return web::reply(answer, 200);
}

web::Answer add_fact(const Services& services, const Request& request, AddRequest body) {
  co_return answer_of(
      co_await services.memories.add(request.caller.user_id, std::move(body.agentId), std::move(body.text)));
}

web::Answer remove_fact(const Services& services, const Request& request, RemoveRequest body) {
  co_return answer_of(
      co_await services.memories.remove(request.caller.user_id, std::move(body.agentId), std::move(body.memoryId)));
}

}  // namespace memory
