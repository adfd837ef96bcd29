#include "appliance/audit/refusals.h"

#include <utility>

namespace audit {

void Refusals::count(const web::Request& request) {
  const std::scoped_lock lock(mutex_);
  const bool has_room = by_address_.size() < addresses_at_once || by_address_.contains(request.client_address);
  Tries& tries = by_address_[has_room ? request.client_address : std::string()];
  ++tries.count;
  tries.last = std::string(to_string(request.method)) + " " + std::string(request.route);
}

web::Task<> Refusals::write() {
  std::map<std::string, Tries> counted;
  {
    const std::scoped_lock lock(mutex_);
    counted.swap(by_address_);
  }
  for (const auto& [address, tries] : counted) {
    Entry entry{.act = "internal key refused",
                .outcome = "Forbidden, " + std::to_string(tries.count) + (tries.count == 1 ? " time" : " times"),
                .subject = tries.last,
                .address = address};
    co_await audit_.note(std::move(entry));
  }
}

}  // namespace audit
