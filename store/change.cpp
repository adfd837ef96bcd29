#include "store/change.h"

#include <stdexcept>

namespace store {

void Change::owned_by(UserId owner) const {
  if (only_ && *only_ != owner) throw std::logic_error("store: a tenant's change names another owner");
}

void Change::owned_by_nobody() const {
  if (only_) throw std::logic_error("store: a tenant's change names a record of the box");
}

void Change::expect(Precondition precondition, Outcome::Kind kind, std::string index) {
  batch_.preconditions.push_back(std::move(precondition));
  expectations_.push_back({kind, std::move(index)});
}

void Change::unchanged(Family family, std::string key, std::string stored) {
  expect({.kind = Precondition::Kind::equals, .family = family, .key = std::move(key), .value = std::move(stored)},
         Outcome::Kind::stale, {});
}

void Change::put(Family family, std::string key, std::string value) {
  batch_.writes.push_back(
      {.kind = Write::Kind::put, .family = family, .key = std::move(key), .value = std::move(value)});
}

void Change::remove(Family family, std::string key) {
  batch_.writes.push_back({.kind = Write::Kind::erase, .family = family, .key = std::move(key)});
}

void Change::add(UserId owner, const CounterName& name, std::int64_t delta, std::optional<std::int64_t> bound) {
  owned_by(owner);
  auto key = Rows::counter_key(owner, name);
  if (bound)
    expect({.kind = Precondition::Kind::at_most, .family = rows_->counter_family(), .key = key, .bound = *bound},
           Outcome::Kind::over_bound, name.name);
  batch_.writes.push_back(
      {.kind = Write::Kind::add, .family = rows_->counter_family(), .key = std::move(key), .delta = delta});
}

Outcome Change::outcome_of(CommitResult result) const {
  if (result.ok()) return {};
  const auto& failed = expectations_.at(*result.failed);
  return {failed.kind, failed.index};
}

Task<Outcome> Change::commit(Durability durability) {
  const CommitResult result = co_await rows_->engine().commit(std::move(batch_), durability);
  co_return outcome_of(result);
}

Outcome Change::commit_blocking(Durability durability) {
  return outcome_of(rows_->engine().commit_blocking(std::move(batch_), durability));
}

}  // namespace store
