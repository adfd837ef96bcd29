#include "appliance/identity/audit/failure_counter.h"

#include <utility>

namespace audit {

void FailureCounter::count(const web::Request& request, const std::string& act, std::string why) {
  const std::scoped_lock lock(mutex_);
  ByAddress& by_address = by_act_[act];
  const bool has_room = by_address.size() < addresses_at_once || by_address.contains(request.client_address);
  Tries& tries = by_address[has_room ? request.client_address : std::string()];
  ++tries.count;
  tries.last_why = std::move(why);
  tries.last_place = std::string(to_string(request.method)) + " " + std::string(request.route);
}

web::Task<> FailureCounter::write() {
  std::map<std::string, ByAddress> counted;
  {
    const std::scoped_lock lock(mutex_);
    counted.swap(by_act_);
  }
  for (const auto& [act, by_address] : counted)
    for (const auto& [address, tries] : by_address) {
      Entry entry{
          .act = act,
          .outcome = tries.last_why + ", " + std::to_string(tries.count) + (tries.count == 1 ? " time" : " times"),
          .subject = tries.last_place,
          .address = address};
      co_await audit_.note(std::move(entry));
    }
}

}  // namespace audit
