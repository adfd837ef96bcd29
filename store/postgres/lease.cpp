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

std::string this_machine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return std::string(name.data()) + ", process " + std::to_string(::getpid());
}

}  // namespace

BoxLease::BoxLease(Pool& pool, std::string box) : box_(std::move(box)) {
  const auto host = this_machine();
  Call call{&take_lease};
  call.parameters.bytes(box_).bytes(host);
  const auto found = pool.run_at_start(call);
  epoch_ = found.number(0, 0);
  first_group_ = found.number(0, 2);
  if (epoch_ == 0)
    throw Unavailable("Another box uses the store's database (" + std::string(found.bytes(0, 1)) +
                      "): a database serves one box. Stop that one, or try again in " +
                      std::to_string(found.number(0, 2)) + " seconds if it has ended.");
}

bool BoxLease::renew(Connection& connection, Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  Call call{&renew_lease};
  call.parameters.bytes(box_).number(epoch_);
  return connection.run(call, deadline).rows() == 1;
}

std::optional<std::int64_t> BoxLease::begin_epoch(Connection& connection, Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  Call call{&next_epoch};
  call.parameters.bytes(box_).number(epoch_);
  const auto found = connection.run(call, deadline);
  if (found.rows() != 1) return std::nullopt;
  epoch_ = found.number(0, 0);
  return found.number(0, 1);
}

void BoxLease::give_back(Pool& pool) noexcept {
  try {
    Call call{&end_lease};
    call.parameters.bytes(box_).number(epoch_);
    pool.run(call);
  } catch (...) {  // it ends by itself
  }
}

}  // namespace store::postgres
