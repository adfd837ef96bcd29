#include "appliance/models/admission.h"

namespace models {

Failure circuit_open(const Candidate& candidate, const std::string& model, const ProviderBreaker& breaker) {
  const auto now = Breaker::Clock::now();
  const std::string provider(candidate.provider->name());
  Failure failure{.fault = Fault::overloaded};
  failure.retry_after = breaker.model_wait(model, now);
  if (failure.retry_after && breaker.is_missing(model)) {
    failure.fault = Fault::model_not_available;
    failure.message = "The model provider '" + provider + "' does not have the model " + model +
                      ". If the catalogue is out of date, an administrator can run `agentbox catalogue update`.";
  } else if (failure.retry_after) {
    failure.message = "The model " + model + " of the provider '" + provider +
                      "' did not answer in time and is left alone for a moment.";
  } else {
    failure.message = "The model provider '" + provider + "' " +
                      (breaker.whole().is_slow() ? "did not answer in time" : "has failed repeatedly") +
                      " and is left alone for a moment.";
    failure.retry_after = breaker.whole().wait(now);
  }
  return failure;
}

}  // namespace models
