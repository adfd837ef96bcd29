// The permission of a provider's circuit breaker to make one attempt.
#pragma once

#include <string>

#include "appliance/models/model_router.h"
#include "appliance/models/providers/breaker.h"

namespace models {

// Unless a result is reported, the attempt counts as abandoned.
class Admission {
 public:
  // Without a breaker the attempt is always admitted.
  Admission(ProviderBreaker* breaker, const std::string& model, ProviderBreaker::Reason reason)
      : breaker_(breaker),
        model_(model),
        admitted_(!breaker || breaker->admit(model_, Breaker::Clock::now(), reason)) {}
  ~Admission() {
    if (admitted_ && breaker_) breaker_->abandoned(model_);
  }
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;
  explicit operator bool() const { return admitted_; }

  void report(const Outcome<ChatAnswer>& outcome) {
    if (!breaker_ || (!outcome && outcome.error().fault == Fault::cancelled)) return;
    outcome ? breaker_->succeeded(model_) : breaker_->failed(model_, outcome.error(), Breaker::Clock::now());
    breaker_ = nullptr;
  }

 private:
  ProviderBreaker* breaker_;
  const std::string model_;
  const bool admitted_;
};

// The failure of an attempt that was not admitted.
Failure circuit_open(const Candidate&, const std::string& model, const ProviderBreaker&);

}  // namespace models
