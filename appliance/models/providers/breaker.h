// Circuit breakers: a provider that is down costs a few failed attempts or two time-outs, a model that does not answer
// in time one, and is then left alone for a while.
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

// Closed: all pass. Open: none passes until the pause is over, but for last resorts where failing has been quick: those
// lose nothing by trying. Half-open: one passes, and decides; each failure of that one doubles the pause, up to a
// minute. Callable from every thread.
class Breaker {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int threshold = 3;  // failures in a row
  static constexpr std::chrono::seconds first_pause{5}, longest_pause{60};

  // Whether an attempt may be made now; each that may is followed by one of the three below.
  bool admit(Clock::time_point now, bool is_last_resort = false);
  void succeeded();
  // Counts as so many failures in a row, if the fault speaks against the provider at all; a time-out, unless it is told
  // otherwise, as many as it takes.
  void failed(Fault fault, Clock::time_point now) { failed(fault, now, fault == Fault::timeout ? threshold : 1); }
  void failed(Fault, Clock::time_point now, int weight);
  void abandoned();  // ended by the caller: tells nothing

  Circuit state(Clock::time_point now) const;
  // Until an attempt may be made.
  std::chrono::seconds wait(Clock::time_point now) const;

  // Whether a fault speaks against the provider rather than against the request or the key.
  static bool counts(Fault);

 private:
  mutable std::mutex mutex_;  // protects all below
  int failures_ = 0;
  bool is_open_ = false, probing_ = false;
  bool is_slow_ = false;  // a time-out has opened it
  Clock::time_point open_until_{};
  std::chrono::seconds pause_ = first_pause;
};

// The breakers of one provider: its own, and one for each model that did not answer in time. Such a model is left alone
// by itself, since the others may be well; two time-outs in a row, or one and another failure, speak against the
// provider. Callable from every thread.
class ProviderBreaker {
 public:
  using Clock = Breaker::Clock;
  // Of a server that is one machine a time-out speaks against the whole at once.
  explicit ProviderBreaker(bool is_one_machine) : is_one_machine_(is_one_machine) {}

  enum class Leave {
    asked_for,
    as_last_resort,  // nobody else is left to turn to
    going_on         // the caller has just met the provider's state itself, and goes through its fallbacks
  };
  // Whether the model may be asked now; each that may is followed by one of the three below.
  bool admit(const std::string& model, Clock::time_point now, Leave);
  void succeeded(const std::string& model);
  void failed(const std::string& model, const Failure&, Clock::time_point now);
  void abandoned(const std::string& model);

  // Until the model may be asked. Nothing: it is not the model that is left alone.
  std::optional<std::chrono::seconds> model_wait(const std::string& model, Clock::time_point now) const;
  Breaker& whole() { return whole_; }
  const Breaker& whole() const { return whole_; }

 private:
  const bool is_one_machine_;
  Breaker whole_;
  mutable std::mutex mutex_;               // protects what follows
  std::map<std::string, Breaker> models_;  // those that did not answer in time, until they do
};

}  // namespace models
