#include "appliance/models/providers/breaker.h"

#include <algorithm>

namespace models {

namespace {

constexpr std::size_t max_models = 1000;

}  // namespace

bool Breaker::counts(Fault fault) {
  switch (fault) {
    case Fault::overloaded:
    case Fault::upstream_error:
    case Fault::bad_answer:
    case Fault::unreachable:
    case Fault::timeout:
    case Fault::model_not_available:  // of the model's breaker
      return true;
    default:
      return false;
  }
}

bool Breaker::admit(Clock::time_point now, bool is_last_resort) {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || (is_last_resort && !is_slow_)) return true;
  if (probing_ || now < open_until_) return false;
  probing_ = true;
  return true;
}

void Breaker::succeeded() {
  const std::lock_guard lock(mutex_);
  failures_ = 0;
  is_open_ = probing_ = is_slow_ = false;
  pause_ = first_pause;
}

void Breaker::failed(Fault fault, Clock::time_point now, int weight) {
  const std::lock_guard lock(mutex_);
  if (!counts(fault)) {
    probing_ = false;
    return;
  }
  failures_ += weight;
  if (failures_ < threshold) return;
  if (probing_) pause_ = std::min(2 * pause_, longest_pause);
  probing_ = false;
  is_open_ = true;
  is_slow_ = fault == Fault::timeout;
  open_until_ = now + pause_;
}

void Breaker::abandoned() {
  const std::lock_guard lock(mutex_);
  probing_ = false;
}

Circuit Breaker::state(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  if (!is_open_) return Circuit::closed;
  return now < open_until_ ? Circuit::open : Circuit::half_open;
}

bool Breaker::is_slow() const {
  const std::lock_guard lock(mutex_);
  return is_slow_;
}

std::chrono::seconds Breaker::wait(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || now >= open_until_) return std::chrono::seconds(1);
  return std::chrono::ceil<std::chrono::seconds>(open_until_ - now);
}

bool ProviderBreaker::admit(const std::string& model, Clock::time_point now, Reason reason) {
  const std::lock_guard lock(mutex_);
  const auto slow = models_.find(model);
  if (slow != models_.end() && !slow->second.admit(now)) return false;
  if (reason == Reason::fallback || whole_.admit(now, reason == Reason::last_resort)) return true;
  if (slow != models_.end()) slow->second.abandoned();
  return false;
}

void ProviderBreaker::succeeded(const std::string& model) {
  const std::lock_guard lock(mutex_);
  models_.erase(model);
  whole_.succeeded();
}

void ProviderBreaker::failed(const std::string& model, const Failure& failure, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (failure.fault == Fault::model_not_available) {
    if (models_.size() >= max_models) models_.clear();
    models_.try_emplace(model).first->second.failed(failure.fault, now, Breaker::threshold);
    whole_.succeeded();  // it answered
    return;
  }
  const bool is_models = failure.fault == Fault::timeout && failure.may_be_billed && !is_one_machine_;
  if (!is_models) {
    whole_.failed(failure.fault, now);
    // The server answered in time.
    if (failure.fault == Fault::unreachable || failure.fault == Fault::timeout) {
      if (const auto slow = models_.find(model); slow != models_.end()) slow->second.abandoned();
    } else {
      models_.erase(model);
    }
    return;
  }
  if (models_.size() >= max_models) models_.clear();  // callers choose the names of embedding models
  models_.try_emplace(model).first->second.failed(Fault::timeout, now);
  whole_.failed(Fault::timeout, now, Breaker::threshold - 1);
}

void ProviderBreaker::abandoned(const std::string& model) {
  const std::lock_guard lock(mutex_);
  if (const auto slow = models_.find(model); slow != models_.end()) slow->second.abandoned();
  whole_.abandoned();
}

bool ProviderBreaker::is_missing(const std::string& model) const {
  const std::lock_guard lock(mutex_);
  const auto known = models_.find(model);
  return known != models_.end() && !known->second.is_slow();
}

std::optional<std::chrono::seconds> ProviderBreaker::model_wait(const std::string& model, Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  const auto slow = models_.find(model);
  if (slow == models_.end() || slow->second.state(now) == Circuit::closed) return std::nullopt;
  return slow->second.wait(now);
}

}  // namespace models
