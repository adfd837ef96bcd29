// Wrong keys at the backend's door: counted in memory and written down every few seconds, so that whoever tries a
// million of them fills neither the record nor the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "appliance/audit/audit.h"

namespace audit {

inline constexpr std::chrono::seconds refusals_are_written_every{5};

// Callable from every thread; the record must outlive it.
class Refusals {
 public:
  explicit Refusals(Audit& audit) : audit_(audit) {}

  // A request that brought a key, and not the right one.
  void count(const web::Request&);
  // One entry for each address since the last time. What is counted and not written yet is lost with the process.
  web::Task<> write();

 private:
  struct Tries {
    std::uint64_t count = 0;
    std::string last;  // method and route
  };
  static constexpr std::size_t addresses_at_once = 100;  // more share an entry without an address

  Audit& audit_;
  std::mutex mutex_;
  std::map<std::string, Tries> by_address_;  // protected by mutex_
};

}  // namespace audit
