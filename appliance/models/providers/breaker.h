// Circuit breakers. A provider is not used for a while after a few failed attempts or two time-outs, a model after one
// time-out: one slow model behind a router must not close the provider to all others.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "appliance/models/providers/provider.h"

namespace models {

BOOST_DEFINE_ENUM_CLASS(Circuit, closed, open, half_open)

// Closed: every attempt is admitted. Open: no attempt is admitted until the pause is over, except last resorts if
// failures were quick. Half-open: one attempt is admitted and decides; its failure doubles the pause, up to a minute.
// Callable from every thread.
class Breaker {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int threshold = 3;  // failures in a row
  static constexpr std::chrono::seconds first_pause{5}, longest_pause{60};

  // Each admitted attempt must be followed by succeeded, failed or abandoned.
  bool admit(Clock::time_point now, bool is_last_resort = false);
  void succeeded();
  // Counts as `weight` failures in a row, if counts(fault). By default a time-out opens the circuit.
  void failed(Fault fault, Clock::time_point now) { failed(fault, now, fault == Fault::timeout ? threshold : 1); }
  void failed(Fault, Clock::time_point now, int weight);
  void abandoned();  // ended by the caller, without a result

  Circuit state(Clock::time_point now) const;
  // Whether a time-out opened the circuit.
  bool is_slow() const;
  // The time until an attempt may be made.
  std::chrono::seconds wait(Clock::time_point now) const;

  // Whether the fault is the provider's, not that of the request or the key.
  static bool counts(Fault);

 private:
  mutable std::mutex mutex_;  // protects all below
  int failures_ = 0;
  bool is_open_ = false, probing_ = false;
  bool is_slow_ = false;  // opened by a time-out
  Clock::time_point open_until_{};
  std::chrono::seconds pause_ = first_pause;
};

// The breaker of a provider, and one for each of its models that timed out or that the provider does not have, since
// other models may work. Two time-outs in a row, or one and another failure, open the circuit of the provider. Callable
// from every thread.
class ProviderBreaker {
 public:
  using Clock = Breaker::Clock;
  // On a server that is one machine, a time-out of any model opens the circuit of the provider.
  explicit ProviderBreaker(bool is_one_machine) : is_one_machine_(is_one_machine) {}

  enum class Reason {
    requested,
    last_resort,  // no other provider is left
    fallback      // the provider failed during this request already, and its other models are tried
  };
  // Each admitted attempt must be followed by succeeded, failed or abandoned.
  bool admit(const std::string& model, Clock::time_point now, Reason);
  void succeeded(const std::string& model);
  void failed(const std::string& model, const Failure&, Clock::time_point now);
  void abandoned(const std::string& model);

  // Whether the provider's last answer was that it does not have the model.
  bool is_missing(const std::string& model) const;
  // The time until the model may be used. Not set: the circuit of the model is closed.
  std::optional<std::chrono::seconds> model_wait(const std::string& model, Clock::time_point now) const;
  Breaker& whole() { return whole_; }
  const Breaker& whole() const { return whole_; }

 private:
  const bool is_one_machine_;
  Breaker whole_;
  mutable std::mutex mutex_;               // protects models_
  std::map<std::string, Breaker> models_;  // that timed out or are missing, until they answer
};

}  // namespace models
