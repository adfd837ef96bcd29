#include "appliance/identity/audit/failure_counter.h"

#include <utility>

namespace audit {

Failure failure_of(const web::Request& request, std::string act, std::string reason) {
  return {.act = std::move(act),
          .reason = std::move(reason),
          .address = request.client_address,
          .route = std::string(to_string(request.method)) + " " + std::string(request.route)};
}

void FailureCounter::count(Failure failure) {
  const std::scoped_lock lock(mutex_);
  ByAddress& by_address = by_act_[failure.act];
  const bool has_room = by_address.size() < max_addresses || by_address.contains(failure.address);
  Attempts& attempts = by_address[has_room ? failure.address : std::string()];
  ++attempts.count;
  attempts.last_reason = std::move(failure.reason);
  attempts.last_route = std::move(failure.route);
  attempts.last_by = std::move(failure.by);
}

web::Task<> FailureCounter::write() {
  std::map<std::string, ByAddress> counted;
  {
    const std::scoped_lock lock(mutex_);
    counted.swap(by_act_);
  }
  for (const auto& [act, by_address] : counted)
    for (const auto& [address, attempts] : by_address) {
      const std::string times = std::to_string(attempts.count) + (attempts.count == 1 ? " time" : " times");
      Entry entry{.act = act,
                  .outcome = attempts.last_reason + ", " + times,
                  .subject = attempts.last_route,
                  .address = address,
                  .by = attempts.last_by};
      co_await audit_.note(std::move(entry));
    }
}

}  // namespace audit
