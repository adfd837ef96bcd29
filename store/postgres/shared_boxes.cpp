#include "store/postgres/shared_boxes.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <thread>

namespace store::postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto reach_pause = 10ms;

const Statement list_boxes{"list_boxes",
                           "SELECT epoch, host, address, version, until > clock_timestamp() FROM agentbox._boxes WHERE "
                           "evicted_by IS NULL ORDER BY epoch = $1::bigint DESC, epoch"};
const Statement list_dead{"list_dead",
                          "SELECT epoch, host, address, version, false FROM agentbox._boxes WHERE recovered_by = "
                          "$1::bigint AND NOT is_recovered ORDER BY epoch"};
const Statement set_recovered{
    "",
    "UPDATE agentbox._boxes SET is_recovered = true WHERE epoch = $1::bigint AND recovered_by "
    "= $2::bigint"};
const Statement take_named{"take_named", "SELECT agentbox._take_named($1::text, $2::bigint)"};
const Statement end_named{"",
                          "UPDATE agentbox._lease SET holder = NULL WHERE name = $1::text AND epoch = $2::bigint AND "
                          "holder = $3::bigint"};
const Statement announce_wait{"announce",
                              "UPDATE agentbox._boxes SET awaits = nextval('agentbox._reach') WHERE epoch = $1::bigint "
                              "AND evicted_by IS NULL RETURNING awaits"};
const Statement all_have_seen{"all_seen",
                              "SELECT NOT EXISTS (SELECT FROM agentbox._boxes WHERE epoch <> $1::bigint AND evicted_by "
                              "IS NULL AND until > clock_timestamp() AND seen < $2::bigint)"};

}  // namespace

void SharedBoxes::check() const {
  if (lease_.is_lost()) throw Unavailable(lease_.loss());
}

std::vector<Box> SharedBoxes::read(const Statement& statement) const {
  check();
  Call call{&statement};
  call.parameters.number(lease_.epoch());
  const auto found = pool_.run(call);
  std::vector<Box> boxes;
  for (int row = 0; row < found.rows(); ++row)
    boxes.push_back({.epoch = found.number(row, 0),
                     .host = std::string(found.bytes(row, 1)),
                     .address = std::string(found.bytes(row, 2)),
                     .version = std::string(found.bytes(row, 3)),
                     .is_live = found.truth(row, 4)});
  return boxes;
}

std::vector<Box> SharedBoxes::list() const { return read(list_boxes); }
std::vector<Box> SharedBoxes::dead() const { return read(list_dead); }

void SharedBoxes::recovered(std::int64_t epoch) {
  check();
  Call call{&set_recovered};
  call.parameters.number(epoch).number(lease_.epoch());
  pool_.run(call);
}

std::optional<NamedLease> SharedBoxes::take(const std::string& name) {
  check();
  const auto row = row_of_lease(name);
  Call call{&take_named};
  call.parameters.bytes(row).number(lease_.epoch());
  const auto epoch = pool_.run(call).number(0, 0);
  if (epoch < 0) throw Unavailable(lease_ended);
  return epoch == 0 ? std::nullopt : std::optional(NamedLease{name, epoch});
}

void SharedBoxes::give_back(const NamedLease& lease) {
  const auto row = row_of_lease(lease.name);
  Call call{&end_named};
  call.parameters.bytes(row).number(lease.epoch).number(lease_.epoch());
  pool_.run(call);
}

std::int64_t SharedBoxes::announce() {
  check();
  Call call{&announce_wait};
  call.parameters.number(lease_.epoch());
  const auto announced = pool_.run(call);
  if (announced.rows() != 1) throw Unavailable(lease_.loss());
  return announced.number(0, 0);
}

// A box confirms together with its renewal, so that one which does not look loses its lease before the deadline.
bool SharedBoxes::is_everywhere(std::int64_t announced, Clock::time_point deadline) const {
  Call call{&all_have_seen};
  call.parameters.number(lease_.epoch()).number(announced);
  if (pool_.run(call).truth(0, 0)) return true;
  if (Clock::now() > deadline) throw Unavailable("A box has not confirmed that it has seen a change.");
  return false;
}

Task<> SharedBoxes::reach_everywhere() {
  using Executor = boost::asio::io_context::executor_type;
  const auto announced = announce();
  const auto deadline = Clock::now() + lease_.length() * 3 / 2;
  boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor> timer(
      co_await boost::asio::this_coro::executor);
  while (!is_everywhere(announced, deadline)) {
    timer.expires_after(reach_pause);
    co_await timer.async_wait(boost::asio::use_awaitable_t<Executor>());
  }
}

void SharedBoxes::reach_everywhere_blocking() {
  const auto announced = announce();
  for (const auto deadline = Clock::now() + lease_.length() * 3 / 2; !is_everywhere(announced, deadline);)
    std::this_thread::sleep_for(reach_pause);
}

}  // namespace store::postgres
