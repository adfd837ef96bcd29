#include "appliance/models/demo_visitors.h"

#include "appliance/billing/usage/period.h"

namespace models {

namespace {

constexpr std::int64_t shares = 4;
constexpr std::size_t max_visitors = 20'000;

}  // namespace

bool DemoVisitors::admit(const std::string& visitor, std::int64_t tokens, std::int64_t daily, store::Time now) {
  auto today = usage::Period::day(now).name();
  const std::lock_guard lock(mutex_);
  if (today != day_ || used_.size() >= max_visitors) {
    used_.clear();
    day_ = std::move(today);
  }
  auto& used = used_[visitor];
  if (used > 0 && used + tokens > daily / shares) return false;
  used += tokens;
  return true;
}

void DemoVisitors::give_back(const std::string& visitor, std::int64_t tokens, store::Time admitted_at) {
  const std::lock_guard lock(mutex_);
  if (usage::Period::day(admitted_at).name() != day_) return;
  if (const auto known = used_.find(visitor); known != used_.end()) known->second -= tokens;
}

}  // namespace models
