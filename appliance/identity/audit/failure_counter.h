// What strangers try at doors that open by a secret or a signature: counted in memory and written down every few
// seconds, so that whoever tries a million times fills neither the record nor the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "appliance/identity/audit/audit.h"

namespace audit {

inline constexpr std::chrono::seconds refusals_are_written_every{5};

// Callable from every thread; the record must outlive it.
class FailureCounter {
 public:
  explicit FailureCounter(Audit& audit) : audit_(audit) {}

  // `act` is one of few: each has its own entries. `why` as the client was told.
  void count(const web::Request&, const std::string& act, std::string why);
  // One entry for each act and address since the last time, with the last reason and route. What is counted and not
  // written yet is lost with the process.
  web::Task<> write();

 private:
  struct Tries {
    std::uint64_t count = 0;
    std::string last_why, last_place;  // place: method and route
  };
  using ByAddress = std::map<std::string, Tries>;
  static constexpr std::size_t addresses_at_once = 100;  // more share an entry without an address

  Audit& audit_;
  std::mutex mutex_;
  std::map<std::string, ByAddress> by_act_;  // protected by mutex_
};

}  // namespace audit
