#include "appliance/identity/accounts/login_limit.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "appliance/foundation/crypto/random.h"

namespace accounts {

namespace {

constexpr std::chrono::hours alarm_window{1};

}  // namespace

// Of one size, whatever a client calls its account.
LoginLimit::Digest LoginLimit::digest(std::string_view text) {
  const std::string hash = crypto::sha256(text);
  Digest digest{};
  std::memcpy(digest.data(), hash.data(), sizeof digest);
  return digest;
}

LoginLimit::Clock::duration LoginLimit::delay(unsigned failures) const {
  if (failures < rule_.free) return {};
  auto wait = rule_.first;
  for (unsigned more = failures - rule_.free; more > 0 && wait < rule_.longest; --more) wait *= 2;
  return std::min(wait, rule_.longest);
}

std::optional<LoginLimit::Delay> LoginLimit::blocked(std::string_view account, std::string_view source,
                                                     Clock::time_point now) {
  if (!enabled_) return std::nullopt;
  const Key named = key(account, source);
  const std::scoped_lock lock(mutex_);
  const auto found = failures_.find(named);
  if (found == failures_.end()) return std::nullopt;
  const auto until = found->second.last + delay(found->second.count);
  if (until <= now) return std::nullopt;
  return Delay{std::chrono::ceil<std::chrono::seconds>(until - now), rule_.free};
}

std::optional<unsigned> LoginLimit::failed(std::string_view account, std::string_view source, Clock::time_point now) {
  if (!enabled_) return std::nullopt;
  const Key named = key(account, source);
  const std::scoped_lock lock(mutex_);
  if (failures_.size() >= rule_.capacity || hours_.size() >= rule_.capacity) make_room(now);
  Failures& failures = failures_[named];
  if (failures.last + rule_.memory <= now) failures.count = 0;
  ++failures.count;
  failures.last = now;
  const unsigned in_hour = count_hour(named.account, now);
  return in_hour == rule_.alarm ? std::optional(in_hour) : std::nullopt;
}

unsigned LoginLimit::count_hour(const Digest& account, Clock::time_point now) {
  Hour& hour = hours_.try_emplace(account, Hour{.since = now}).first->second;
  if (now - hour.since >= alarm_window) hour = {.since = now};
  return ++hour.count;
}

// Half of the room at once, so that a flood of failures is no work for each. Delays outlast those who never waited.
void LoginLimit::make_room(Clock::time_point now) {
  std::erase_if(hours_, [&](const auto& entry) { return now - entry.second.since >= alarm_window; });
  std::erase_if(failures_, [&](const auto& entry) { return entry.second.last + rule_.memory <= now; });
  const std::size_t kept = rule_.capacity / 2;
  const auto drop_lightest = [kept](auto& counts, auto weight) {
    if (counts.size() <= kept) return;
    std::vector<decltype(weight(counts.begin()->second))> weights;
    weights.reserve(counts.size());
    for (const auto& [name, count] : counts) weights.push_back(weight(count));
    const auto middle = weights.end() - static_cast<std::ptrdiff_t>(kept) - 1;
    std::ranges::nth_element(weights, middle);
    std::erase_if(counts, [&](const auto& entry) { return weight(entry.second) <= *middle; });
  };
  drop_lightest(failures_, [](const Failures& one) { return std::pair(one.count, one.last); });
  drop_lightest(hours_, [](const Hour& one) { return std::pair(one.count, one.since); });
}

void LoginLimit::succeeded(std::string_view account, std::string_view source) {
  const Key named = key(account, source);
  const std::scoped_lock lock(mutex_);
  failures_.erase(named);
}

void LoginLimit::clear(std::string_view account) {
  const Digest named = digest(account);
  const std::scoped_lock lock(mutex_);
  std::erase_if(failures_, [&](const auto& entry) { return entry.first.account == named; });
  hours_.erase(named);
}

std::size_t LoginLimit::size() const {
  const std::scoped_lock lock(mutex_);
  return failures_.size() + hours_.size();
}

web::Error delayed(const LoginLimit::Delay& delay, std::string message) {
  web::Error error{.kind = web::Kind::too_many, .message = std::move(message)};
  error.extra["retryAfter"] = delay.left.count();
  error.extra["rateLimit"] = {{"limit", std::int64_t{delay.limit}}, {"remaining", 0}, {"reset", delay.left.count()}};
  return error;
}

}  // namespace accounts
