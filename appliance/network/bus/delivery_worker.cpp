#include "appliance/network/bus/delivery_worker.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <random>
#include <set>

#include "appliance/hosting/agents/bus_config.h"
#include "store/clock.h"
#include "store/transact.h"
#include "web/log.h"

namespace bus {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t read_at_once = 32;
constexpr auto pause_after_failure = 5s;  // of the box itself

std::vector<Channel> channels_of(const Participant& recipient) {
  std::vector<Channel> channels;
  const auto config = agents::read_bus_config(recipient.config);
  if (!config) return channels;
  if (!config->webhook_url.empty()) channels.push_back(Channel::webhook);
  if (config->delivery == agents::BusDelivery::deliver) channels.push_back(Channel::agent);
  return channels;
}

// Behind the lane's name and before the number, so that no lane's name is the beginning of another's entries.
constexpr char first_in_lane = '/', after_lane = '0';

std::string place_in(const std::string& lane, std::int64_t number) { return numbered(lane, number); }

std::string lane_of(const Delivery& delivery) { return lane_of(delivery.channel, delivery.from, delivery.to); }

std::string dead_letter_id(const Delivery& delivery) {
  auto digits = numbered({}, delivery.number);
  return "dl_" + digits.substr(1) + "_" + boost::describe::enum_to_string(delivery.channel, "");
}

double jitter() {
  thread_local std::mt19937 generator{std::random_device()()};
  return std::uniform_real_distribution(0.75, 1.25)(generator);
}

}  // namespace

struct DeliveryWorker::Lane {
  explicit Lane(std::string given_name) : name(std::move(given_name)) {}

  const std::string name;
  boost::asio::cancellation_signal cut_off;
  std::shared_ptr<agentbox::Semaphore> places;  // of the recipient's owner
};

DeliveryWorker::DeliveryWorker(store::System system, boost::asio::io_context& home, Transport webhook, Transport agent,
                               Options options)
    : system_(std::move(system)),
      home_(home),
      webhook_(std::move(webhook)),
      agent_(std::move(agent)),
      options_(options),
      places_(home.get_executor(), options.max_attempts),
      all_ended_(home.get_executor(), std::chrono::steady_clock::time_point::max()) {}

DeliveryWorker::~DeliveryWorker() = default;

std::int64_t DeliveryWorker::next_number() {
  const auto now = std::chrono::floor<std::chrono::microseconds>(store::precise_now());
  const std::int64_t by_clock = now.time_since_epoch().count();
  auto last = last_number_.load();
  while (!last_number_.compare_exchange_weak(last, std::max(last + 1, by_clock))) {
  }
  return std::max(last + 1, by_clock);
}

std::vector<std::string> DeliveryWorker::post(store::Change& change, const Outgoing& outgoing,
                                              const boost::json::object& context, const Participant& recipient) {
  const auto now = store::now();
  const auto number = next_number();
  const Message message{.owner = recipient.owner,
                        .id = numbered(recipient.id, number),
                        .number = number,
                        .message_id = outgoing.message_id,
                        .from = outgoing.from,
                        .to = recipient.id,
                        .action = outgoing.action,
                        .payload = outgoing.payload,
                        .context = context,
                        .sent_at = outgoing.sent_at,
                        .accepted_at = now,
                        .unread = recipient.id};
  change.insert(messages, message);
  std::vector<std::string> lanes;
  for (const auto channel : channels_of(recipient)) {
    auto lane = bus::lane_of(channel, message.from, message.to);
    const Delivery delivery{.owner = recipient.owner,
                            .id = boost::describe::enum_to_string(channel, "") + (":" + message.id),
                            .channel = channel,
                            .message = message.id,
                            .number = number,
                            .from = message.from,
                            .to = message.to,
                            .action = message.action,
                            .place = place_in(lane, number),
                            .attempts = 0,
                            .problem = {},
                            .created_at = now,
                            .next_at = now};
    change.insert(deliveries, delivery);
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

void DeliveryWorker::wake(std::vector<std::string> lanes) {
  if (lanes.empty()) return;
  boost::asio::post(home_, [this, lanes = std::move(lanes)] {
    for (const auto& lane : lanes) run(lane);
  });
}

void DeliveryWorker::start() {
  std::set<std::string> lanes;
  std::int64_t newest = 0;
  system_.each<Delivery>(deliveries, [&](const Delivery& delivery) {
    lanes.insert(lane_of(delivery));
    newest = std::max(newest, delivery.number);
    return true;
  });
  for (auto last = last_number_.load(); last < newest && !last_number_.compare_exchange_weak(last, newest);) {
  }
  for (const auto& lane : lanes) run(lane);
}

web::Task<> DeliveryWorker::stop() {
  stopping_ = true;
  for (const auto& [name, lane] : lanes_) lane->cut_off.emit(boost::asio::cancellation_type::terminal);
  boost::system::error_code woken;
  if (!lanes_.empty()) co_await all_ended_.async_wait(boost::asio::redirect_error(web::use_task, woken));
}

void DeliveryWorker::run(const std::string& name) {
  if (stopping_ || lanes_.contains(name)) return;
  const auto lane = std::make_shared<Lane>(name);
  lanes_.emplace(name, lane);
  auto ended = [this, lane](const std::exception_ptr&) {
    forget_lane(lane);
    if (stopping_ && lanes_.empty()) all_ended_.cancel();
  };
  boost::asio::co_spawn(home_, work_through(lane),
                        boost::asio::bind_cancellation_slot(lane->cut_off.slot(), std::move(ended)));
}

void DeliveryWorker::forget_lane(const std::shared_ptr<Lane>& lane) {
  const auto found = lanes_.find(lane->name);
  if (found != lanes_.end() && found->second == lane) lanes_.erase(found);
}

std::shared_ptr<agentbox::Semaphore> DeliveryWorker::places_of(store::UserId owner) {
  std::erase_if(places_of_owners_, [](const auto& entry) { return entry.second.expired(); });
  auto& places = places_of_owners_[owner];
  auto shared = places.lock();
  if (!shared) {
    shared = std::make_shared<agentbox::Semaphore>(home_.get_executor(), options_.max_attempts_of_owner);
    places = shared;
  }
  return shared;
}

web::Task<> DeliveryWorker::work_through(std::shared_ptr<Lane> lane) {
  for (;;) {
    std::string failure;
    try {
      const auto batch =
          system_.find_range(deliveries, "place", lane->name + first_in_lane, lane->name + after_lane, read_at_once);
      if (batch.empty()) {
        forget_lane(lane);  // now: whatever is added from here on wakes it again
        co_return;
      }
      if (!lane->places) lane->places = places_of(batch.front().owner);
      for (const auto& delivery : batch)
        if (!co_await handle(*lane, delivery)) break;
      continue;
    } catch (const boost::system::system_error& error) {
      if (error.code() == boost::asio::error::operation_aborted) throw;
      failure = error.what();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    web::log::warning("bus_delivery_failed", {{"lane", lane->name}, {"reason", failure}});
    co_await web::sleep_for(pause_after_failure);
  }
}

web::Task<bool> DeliveryWorker::handle(Lane& lane, const Delivery& delivery) {
  if (const auto wait = delivery.next_at - store::now(); wait > 0ms) co_await web::sleep_for(wait);
  std::optional<DeliveryProblem> problem;
  {
    co_await lane.places->take();
    const agentbox::Semaphore::Place of_owner(*lane.places);
    co_await places_.take();
    const agentbox::Semaphore::Place of_all(places_);
    problem = co_await attempt(delivery);
  }
  if (problem) co_return co_await give_up_or_postpone(delivery, std::move(*problem));
  co_await finish(delivery);
  co_return true;
}

web::Task<std::optional<DeliveryProblem>> DeliveryWorker::attempt(const Delivery& delivery) {
  const auto recipient = find_participant(system_, delivery.owner, delivery.to);
  const auto message = system_.tenant(delivery.owner).get(messages, delivery.message);
  if (!recipient || !message) co_return std::nullopt;
  const auto& transport = delivery.channel == Channel::webhook ? webhook_ : agent_;
  co_return co_await transport(recipient->value, message->value);
}

web::Task<> DeliveryWorker::finish(const Delivery& delivery) {
  const auto tenant = system_.tenant(delivery.owner);
  const auto step = [&](store::Change& change) -> bool {
    const auto row = tenant.get(deliveries, delivery.id);
    if (!row) return false;  // removed with its agent
    change.erase(deliveries, *row);
    auto message = tenant.get(messages, delivery.message);
    if (message && message->value.unread && delivery.channel == Channel::agent) {
      message->value.unread.reset();
      change.update(messages, *message);
    }
    return true;
  };
  co_await store::transact(tenant, step);
}

web::Task<bool> DeliveryWorker::give_up_or_postpone(const Delivery& delivery, DeliveryProblem problem) {
  const auto tenant = system_.tenant(delivery.owner);
  const auto now = store::now();
  auto row = tenant.get(deliveries, delivery.id);
  if (!row) co_return true;
  auto& current = row->value;
  ++current.attempts;
  current.problem = std::move(problem.reason);
  current.next_at = now + pause_after(current.attempts);
  const bool is_dead = problem.is_final || current.next_at > current.created_at + options_.patience;
  auto change = tenant.change();
  if (is_dead) {
    const DeadLetter letter{.owner = current.owner,
                            .id = dead_letter_id(current),
                            .channel = current.channel,
                            .message = current.message,
                            .from = current.from,
                            .to = current.to,
                            .action = current.action,
                            .attempts = current.attempts,
                            .problem = current.problem,
                            .created_at = current.created_at,
                            .died_at = now};
    change.insert(dead_letters, letter);
    change.erase(deliveries, *row);
  } else {
    change.update(deliveries, *row);
  }
  co_await change.commit();  // stale: removed with its agent
  co_return is_dead;
}

std::chrono::milliseconds DeliveryWorker::pause_after(std::int64_t attempts) const {
  const auto doubled = options_.first_pause * (std::int64_t{1} << std::min<std::int64_t>(attempts - 1, 24));
  const auto pause = std::min<std::chrono::milliseconds>(doubled, options_.longest_pause);
  return std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(pause.count()) * jitter()));
}

web::Task<bool> DeliveryWorker::replay(store::UserId owner, std::string dead_letter) {
  const auto tenant = system_.tenant(owner);
  const auto letter = tenant.get(dead_letters, dead_letter);
  if (!letter) co_return false;
  const auto message = tenant.get(messages, letter->value.message);
  if (!message) co_return false;
  const auto now = store::now();
  auto lane = bus::lane_of(letter->value.channel, letter->value.from, letter->value.to);
  const Delivery delivery{.owner = owner,
                          .id = boost::describe::enum_to_string(letter->value.channel, "") + (":" + message->value.id),
                          .channel = letter->value.channel,
                          .message = message->value.id,
                          .number = message->value.number,
                          .from = letter->value.from,
                          .to = letter->value.to,
                          .action = letter->value.action,
                          .place = place_in(lane, message->value.number),
                          .attempts = 0,
                          .problem = {},
                          .created_at = now,
                          .next_at = now};
  auto change = tenant.change();
  change.erase(dead_letters, *letter);
  change.insert(deliveries, delivery);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) co_return false;
  std::vector<std::string> lanes;
  lanes.push_back(std::move(lane));
  wake(std::move(lanes));
  co_return true;
}

}  // namespace bus
