// Failed attempts at endpoints that open with a secret or a signature. They are counted in memory and written every few
// seconds, so that a client that tries a million times fills neither the audit log nor the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "appliance/identity/audit/audit.h"

namespace audit {

inline constexpr std::chrono::seconds failure_write_interval{5};

struct Failure {
  std::string act;      // one of few: each has its own entries
  std::string reason;   // as the client received it
  std::string address;  // the client's
  std::string route;    // method and pattern
  std::string by = {};  // the key, if it is a valid one
};
Failure failure_of(const web::Request&, std::string act, std::string reason);

// Callable from every thread; the audit log must outlive it.
class FailureCounter {
 public:
  explicit FailureCounter(Audit& audit) : audit_(audit) {}

  void count(Failure);
  // Writes one entry for each act and address since the last call, with the last reason, route and key. Failures that
  // are not written yet are lost when the process ends.
  web::Task<> write();

 private:
  struct Attempts {
    std::uint64_t count = 0;
    std::string last_reason, last_route, last_by;
  };
  using ByAddress = std::map<std::string, Attempts>;
  static constexpr std::size_t max_addresses = 100;  // further ones share an entry without an address

  Audit& audit_;
  std::mutex mutex_;
  std::map<std::string, ByAddress> by_act_;  // protected by mutex_
};

}  // namespace audit
