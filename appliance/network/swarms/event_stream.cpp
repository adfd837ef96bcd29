// The events of a swarm as a stream, from the store: the stored ones first, then each as it comes.
#include <boost/json.hpp>
#include <charconv>

#include "appliance/network/swarms/handlers.h"
#include "web/protocol/event_text.h"

namespace swarms {

namespace json = boost::json;

namespace {

constexpr std::size_t max_at_once = 100;
constexpr std::int64_t highest_number = 1'000'000;

std::string to_event_stream(const std::vector<Event>& list) {
  std::string text;
  for (const auto& event : list) {
    auto data = event.data;
    data["number"] = event.number;
    data["at"] = web::iso8601(event.at);
    web::append_event(text, json::serialize(data), boost::describe::enum_to_string(event.kind, ""),
                      std::to_string(event.number));
  }
  return text;
}

bool is_last(const Event& event) {
  return event.kind == EventKind::done || event.kind == EventKind::failed || event.kind == EventKind::stopped;
}

web::Task<> send_events(Services services, Swarm swarm, std::int64_t last, web::StreamWriter& writer) {
  const web::Executor executor = co_await boost::asio::this_coro::executor;
  const auto follower = services.followers.follow(swarm.id, executor);
  auto ready = json::serialize(json::object{{"swarm", swarm.id}, {"after", last}});
  co_await writer.event(ready, "ready");
  for (;;) {
    const auto found = services.swarms.events_after(swarm, last, max_at_once);
    if (found.empty()) {
      // Also when it is deleted, or resumed behind its last event.
      const auto now = services.swarms.find(swarm.owner, swarm.id);
      if (!now || is_finished(now->state)) co_return;
      co_await follower->wait();
      continue;
    }
    last = found.back().number;
    auto text = to_event_stream(found);
    co_await writer.write(std::move(text));
    if (is_last(found.back())) co_return;
  }
}

// Nothing: the header is no number of an event.
std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number < 0 || number > highest_number)
    return std::nullopt;
  return number;
}

}  // namespace

web::Answer follow_swarm(const Services& services, const web::Request& request, FollowQuery query) {
  auto swarm = services.swarms.find(request.caller.user_id, request.param("id"));
  if (!swarm) co_return web::not_found("No such swarm");
  std::int64_t last = query.lastEventId ? query.lastEventId->value : 0;
  if (const auto header = request.header("Last-Event-ID"); !header.empty()) {
    const auto number = number_in(header);
    if (!number) co_return web::invalid("Last-Event-ID must be the id of an event");
    last = *number;
  }
  auto response = web::server_sent_events([services, swarm = std::move(*swarm), last](web::StreamWriter& writer) {
    return send_events(services, swarm, last, writer);
  });
  response.endless = true;
  co_return response;
}

}  // namespace swarms
