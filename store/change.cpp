#include "store/change.h"

#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "store/boxes.h"

namespace store {

void Change::expect_owner(UserId owner) const {
  if (only_ && *only_ != owner) throw std::logic_error("store: a tenant's change names another owner");
}

void Change::expect_unscoped() const {
  if (only_) throw std::logic_error("store: a tenant's change names a record of the box");
}

void Change::expect(Precondition precondition, Outcome::Kind kind, std::string index) {
  batch_.preconditions.push_back(std::move(precondition));
  expectations_.push_back({kind, std::move(index)});
}

void Change::expect_unchanged(Family family, std::string key, std::string stored,
                              std::optional<std::uint64_t> version) {
  expect({.kind = Precondition::Kind::equals,
          .family = family,
          .key = std::move(key),
          .value = std::move(stored),
          .version = version},
         Outcome::Kind::stale, {});
}

void Change::put(Family family, std::string key, std::string value) {
  batch_.writes.push_back(
      {.kind = Write::Kind::put, .family = family, .key = std::move(key), .value = std::move(value)});
}

void Change::remove(Family family, std::string key) {
  batch_.writes.push_back({.kind = Write::Kind::erase, .family = family, .key = std::move(key)});
}

void Change::remove_entry(std::string entry, std::string record) {
  batch_.writes.push_back({.kind = Write::Kind::erase,
                           .family = rows_->index_family(),
                           .key = std::move(entry),
                           .value = std::move(record)});
}

void Change::require(const NamedLease& lease) {
  batch_.preconditions.push_back(
      {.kind = Precondition::Kind::held, .family = 0, .key = lease.name, .bound = lease.epoch});
  expectations_.push_back({.kind = Outcome::Kind::stale, .index = lease.name, .is_lease = true});
}

void Change::add(UserId owner, const CounterName& name, std::int64_t delta, std::optional<std::int64_t> bound) {
  add(owner, name, CounterFields{delta}, bound ? std::vector<Bound>{{.most = *bound}} : std::vector<Bound>());
}

void Change::add(UserId owner, const CounterName& name, const CounterFields& deltas, const std::vector<Bound>& bounds) {
  expect_owner(owner);
  auto key = Rows::counter_key(owner, name);
  for (const auto& bound : bounds) {
    batch_.preconditions.push_back({.kind = Precondition::Kind::at_most,
                                    .family = rows_->counter_family(),
                                    .key = key,
                                    .field = bound.field,
                                    .bound = bound.most});
    expectations_.push_back({Outcome::Kind::over_bound, name.name, bound.field});
  }
  batch_.writes.push_back(
      {.kind = Write::Kind::add, .family = rows_->counter_family(), .key = std::move(key), .fields = deltas});
}

namespace {

// Preconditions are checked against the store as it was before the change: two records of one change that take the same
// id or unique value would both find it free. Returns the second of such a pair.
std::optional<std::size_t> taken_twice(const Batch& batch) {
  std::set<std::pair<Family, std::string_view>> taken;
  for (std::size_t at = 0; at < batch.preconditions.size(); ++at) {
    const auto& one = batch.preconditions[at];
    if (one.kind == Precondition::Kind::absent && !taken.emplace(one.family, one.key).second) return at;
  }
  return {};
}

}  // namespace

Outcome Change::outcome_of(CommitResult result) const {
  if (result.ok()) return {};
  const auto& failed = expectations_.at(*result.failed);
  if (failed.is_lease) throw Unavailable("This box no longer holds the lease " + failed.index + ".");
  return {.kind = failed.kind, .index = failed.index, .field = failed.field};
}

Task<Outcome> Change::commit(Durability durability) {
  if (const auto twice = taken_twice(batch_)) co_return outcome_of({.failed = twice});
  const CommitResult result = co_await rows_->engine().commit(std::move(batch_), durability);
  co_return outcome_of(result);
}

Outcome Change::commit_blocking(Durability durability) {
  if (const auto twice = taken_twice(batch_)) return outcome_of({.failed = twice});
  return outcome_of(rows_->engine().commit_blocking(std::move(batch_), durability));
}

}  // namespace store
