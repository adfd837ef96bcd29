#include "appliance/models/queue/model_queue.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <charconv>

#include "appliance/models/providers/wire_json.h"
#include "web/client/fetch.h"
#include "web/json.h"
#include "web/log.h"

namespace models {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

using Clock = FairQueue::Clock;

constexpr auto report_interval = 2s;
constexpr auto look_up_interval = 60s, load_interval = 5s;

// What is at a path of the server; empty if it has nothing there.
web::Task<std::string> fetched_text(std::string url) {
  web::FetchRequest request{.url = std::move(url), .timeout = 2s, .connect_timeout = 500ms, .max_bytes = 4u << 20};
  request.origin.part = "models";
  auto answer = co_await web::fetch(std::move(request));
  if (!answer || answer->status != 200) co_return std::string();
  co_return std::move(answer->body);
}

// The same as an object; empty if it is none.
web::Task<boost::json::object> object_at(std::string url) {
  const auto text = co_await fetched_text(std::move(url));
  auto body = parse_object(text);
  co_return body.is_object() ? std::move(body.get_object()) : boost::json::object();
}

// The sum of a metric over its labels; not set if it is not there. `name` without labels.
std::optional<std::size_t> metric(std::string_view metrics, std::string_view name) {
  std::optional<double> sum;
  for (auto rest = metrics; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.starts_with(name) || line.size() == name.size()) continue;
    if (line[name.size()] != '{' && line[name.size()] != ' ') continue;
    const auto number = line.substr(line.rfind(' ') + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || !(value >= 0 && value < 1e6)) return std::nullopt;
    sum = sum.value_or(0) + value;
  }
  return sum ? std::optional(static_cast<std::size_t>(*sum)) : std::nullopt;
}

}  // namespace

std::optional<ServerLoad> load_in(std::string_view metrics) {
  const auto running = metric(metrics, "vllm:num_requests_running"),
             waiting = metric(metrics, "vllm:num_requests_waiting");
  if (!running || !waiting) return std::nullopt;
  return ServerLoad{.running = *running, .waiting = *waiting};
}

std::size_t next_size(std::size_t known, const ServerLoad& load) {
  if (load.waiting > 0) return std::max<std::size_t>(1, load.running);
  if (known == 0 || load.running < known) return known;
  return known + std::max<std::size_t>(1, known / 4);
}

web::Task<ServerSize> look_up_size(std::string base_url) {
  constexpr std::string_view version = "/v1";
  while (base_url.ends_with('/')) base_url.pop_back();
  if (base_url.ends_with(version)) base_url.resize(base_url.size() - version.size());
  ServerSize size;
  const auto props = co_await object_at(base_url + "/props");
  if (const auto slots = count_in(props, "total_slots"); slots && *slots > 0) {
    size.slots = static_cast<std::size_t>(*slots);
    co_return size;
  }
  const auto loaded = co_await object_at(base_url + "/api/ps");
  if (const auto* models = web::array_member(loaded, "models")) {
    size.slots = std::max<std::size_t>(1, models->size());
    co_return size;
  }
  const auto metrics = co_await fetched_text(base_url + "/metrics");
  size.load = load_in(metrics);
  co_return size;
}

web::Task<ModelQueue::Slot> ModelQueue::enter(WaitClass wait_class, std::string user, OnPlace on_place,
                                              std::uint32_t weight) {
  const auto executor = co_await asio::this_coro::executor;
  auto waiter = std::make_shared<Waiter>(executor, Clock::now());
  FairQueue::Id id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = queue_.join(wait_class, user, Clock::now(), weight);
    waiters_.emplace(id, waiter);
    start_waiting();
  }
  Slot slot(*this, id);
  while (!waiter->has_slot) {
    std::optional<FairQueue::Place> place;
    {
      const std::lock_guard lock(mutex_);
      start_waiting();  // those that have moved up a class meanwhile
      place = queue_.place_of(id, Clock::now());
    }
    if (waiter->has_slot) break;
    if (place && on_place) on_place(*place);
    waiter->timer.expires_after(report_interval);
    co_await waiter->timer.async_wait(asio::as_tuple(web::use_task));
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none)
      throw boost::system::system_error(asio::error::operation_aborted);
  }
  co_return std::move(slot);
}

void ModelQueue::start_waiting() {
  while (const auto id = queue_.start_next(Clock::now())) {
    const auto found = waiters_.find(*id);
    auto waiter = std::move(found->second);
    waiters_.erase(found);
    waiter->has_slot = true;
    asio::post(waiter->executor, [waiter] { waiter->timer.cancel(); });
  }
}

void ModelQueue::leave(FairQueue::Id id) {
  const std::lock_guard lock(mutex_);
  waiters_.erase(id);
  queue_.leave(id, Clock::now());
  start_waiting();
}

void ModelQueue::set_slots(std::size_t slots) {
  const std::lock_guard lock(mutex_);
  if (queue_.slots() == slots) return;
  queue_.set_slots(slots);
  start_waiting();
}

ModelQueue::State ModelQueue::state() const {
  const std::lock_guard lock(mutex_);
  return {.slots = queue_.slots(), .running = queue_.running(), .waiting = queue_.waiting()};
}

ModelQueues::Entry& ModelQueues::entry(const std::string& provider) {
  const std::lock_guard lock(mutex_);
  return entries_[provider];
}

web::Task<> ModelQueues::look_up(Entry& entry, std::string base_url) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const auto interval = entry.has_load ? load_interval : look_up_interval;
    if (entry.looked_up != Clock::time_point() && now - entry.looked_up < interval) co_return;
    entry.looked_up = now;
  }
  const auto size = co_await look_up_size(std::move(base_url));
  const std::lock_guard lock(mutex_);
  entry.has_load = size.load.has_value();
  entry.found = size.load ? next_size(entry.found, *size.load) : size.slots.value_or(0);
}

web::Task<ModelQueue::Slot> ModelQueues::enter(std::string provider, std::string base_url, std::size_t limit,
                                               QueuedRequest request, ModelQueue::OnPlace on_place) {
  auto& own = entry(provider);
  auto slots = limit;
  if (limit == 0 && !base_url.empty()) {
    const auto state = own.queue.state();
    if (state.running > 0) co_await look_up(own, std::move(base_url));
    const std::lock_guard lock(mutex_);
    slots = own.found;
  }
  own.queue.set_slots(slots);
  co_return co_await own.queue.enter(request.wait_class, std::move(request.user), std::move(on_place), request.weight);
}

std::map<std::string, ModelQueue::State> ModelQueues::states() const {
  std::map<std::string, ModelQueue::State> states;
  const std::lock_guard lock(mutex_);
  for (const auto& [provider, entry] : entries_) states.emplace(provider, entry.queue.state());
  return states;
}

}  // namespace models
