#include "appliance/identity/second_factor/requirement.h"

#include <algorithm>

namespace second_factor {

namespace {

// When the setting came into force; `now` for the first start with it.
store::Time note_start(const store::System& system, store::Time now) {
  if (const auto row = system.get(required_since, RequiredSince().name)) return row->value.since;
  const RequiredSince noted{.since = now};
  auto change = system.change();
  change.insert(required_since, noted);
  if (!change.commit_blocking().ok()) throw store::Unavailable("SECOND_FACTOR_REQUIRED: its first start is not noted");
  return now;
}

void forget_start(const store::System& system) {
  const auto row = system.get(required_since, RequiredSince().name);
  if (!row) return;
  auto change = system.change();
  change.erase(required_since, *row);
  if (!change.commit_blocking().ok())
    throw store::Unavailable("SECOND_FACTOR_REQUIRED: its first start is not forgotten");
}

}  // namespace

Requirement::Requirement(const store::System& system, bool is_required, std::chrono::milliseconds grace)
    : grace_(grace) {
  if (is_required)
    since_ = note_start(system, store::now());
  else
    forget_start(system);
}

std::optional<store::Time> Requirement::deadline(const accounts::User& user) const {
  if (!since_) return std::nullopt;
  return std::max(*since_, user.created_at) + grace_;
}

}  // namespace second_factor
