#include "store/postgres/lease.h"

#include <unistd.h>

#include <array>

namespace store::postgres {
namespace {

const Statement take_lease{"", "SELECT epoch, holder, seconds FROM agentbox._take($1::text, $2::text)"};
const Statement renew_lease{"",
                            "UPDATE agentbox._lease SET until = clock_timestamp() + interval '10 seconds' "
                            "WHERE name = 'box' AND box = $1::text AND epoch >= $2::bigint RETURNING epoch"};
// From whichever epoch: an earlier attempt may have begun one. Waits for the group that is under way, if one is.
const Statement next_epoch{"",
                           "UPDATE agentbox._lease SET epoch = epoch + 1, until = clock_timestamp() + interval "
                           "'10 seconds' WHERE name = 'box' AND box = $1::text AND epoch >= $2::bigint "
                           "RETURNING epoch, groups"};
const Statement end_lease{"",
                          "UPDATE agentbox._lease SET until = '-infinity' WHERE name = 'box' AND box = $1::text AND "
                          "epoch = $2::bigint"};

const Statement has_standby{"", "SELECT current_setting('synchronous_standby_names') <> ''"};
const Statement join_boxes{"",
                           "SELECT epoch, holder, seconds FROM agentbox._join($1::text, $2::text, $3::text, $4::text, "
                           "$5::bigint)"};
// Losing it with the server does no harm, so it waits for no standby.
const Statement without_sync{"unsynced", "SELECT set_config('synchronous_commit', 'off', true)"};
const Statement renew_box{"renew",
                          "UPDATE agentbox._boxes SET until = clock_timestamp() + $2::bigint * interval '1 "
                          "millisecond', seen = greatest(seen, $3::bigint) WHERE epoch = $1::bigint AND evicted_by IS "
                          "NULL RETURNING epoch"};
const Statement next_term{"", "SELECT term, newest FROM agentbox._reconnect($1::bigint)"};
const Statement leave_boxes{
    "", "UPDATE agentbox._boxes SET until = '-infinity' WHERE epoch = $1::bigint AND evicted_by IS NULL"};

std::string this_machine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return std::string(name.data()) + ", process " + std::to_string(::getpid());
}

[[noreturn]] void refuse(const Result& found) {
  throw Unavailable("Another box uses the store's database (" + std::string(found.bytes(0, 1)) +
                    "): a database serves one box. Stop that one, or try again in " +
                    std::to_string(found.number(0, 2)) + " seconds if it has ended.");
}

}  // namespace

BoxLease::BoxLease(Pool& pool, std::string box, const std::optional<Sharing>& sharing)
    : box_(std::move(box)), length_(sharing ? sharing->lease : std::chrono::milliseconds(0)) {
  if (sharing)
    join(pool, *sharing);
  else
    take(pool);
}

void BoxLease::take(Pool& pool) {
  const auto host = this_machine();
  Call call{&take_lease};
  call.parameters.bytes(box_).bytes(host);
  const auto found = pool.run_at_start(call);
  epoch_ = found.number(0, 0);
  first_group_ = found.number(0, 2);
  if (epoch_ == 0) refuse(found);
}

void BoxLease::join(Pool& pool, const Sharing& sharing) {
  if (!sharing.may_lose && !pool.run_at_start(Call{&has_standby}).truth(0, 0))
    throw Unavailable(
        "The store's database has no synchronous standby (synchronous_standby_names), so that the loss of its server "
        "would take acknowledged changes along, and boxes would disagree: set one up, or permit the loss.");
  const auto host = this_machine();
  const auto start = Clock::now();
  Call call{&join_boxes};
  call.parameters.bytes(box_).bytes(host).bytes(sharing.address).bytes(sharing.version).number(length_.count());
  const auto found = pool.run_at_start(call);
  epoch_ = found.number(0, 0);
  if (epoch_ == 0) refuse(found);
  holds_until_ = (start + length_).time_since_epoch().count();
}

bool BoxLease::renew(Connection& connection, Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  Call call{&renew_lease};
  call.parameters.bytes(box_).number(epoch_);
  return connection.run(call, deadline).rows() == 1;
}

bool BoxLease::renew(const Run& run, std::int64_t seen) {
  const auto start = Clock::now();
  std::array<Call, 2> calls{Call{&without_sync}, Call{&renew_box}};
  calls[1].parameters.number(epoch_).number(length_.count()).number(seen);
  if (run(calls)[1].rows() != 1) return false;
  holds_until_ = (start + length_).time_since_epoch().count();
  return true;
}

std::optional<std::int64_t> BoxLease::begin_epoch(Connection& connection, Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  Call call{is_shared() ? &next_term : &next_epoch};
  if (!is_shared()) call.parameters.bytes(box_);
  call.parameters.number(epoch_);
  const auto found = connection.run(call, deadline);
  if (found.rows() != 1) return std::nullopt;
  (is_shared() ? term_ : epoch_) = found.number(0, 0);
  return found.number(0, 1);
}

void BoxLease::give_back(Pool& pool) noexcept {
  try {
    Call call{is_shared() ? &leave_boxes : &end_lease};
    if (!is_shared()) call.parameters.bytes(box_);
    call.parameters.number(epoch_);
    pool.run(call);
  } catch (...) {  // it ends by itself
  }
}

const char* BoxLease::loss() const {
  return is_shared()
             ? "Another box has evicted this one, whose lease on the store's database had run out: it changes nothing "
               "any more. Restart it."
             : "Another box has taken over the store's database: this one changes nothing any more. Stop it, or "
               "restart it once the other one is stopped.";
}

}  // namespace store::postgres
