// Removes the names of agents, keys, models and tools of months that are too old for every report.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "appliance/billing/usage/records.h"
#include "store/store.h"
#include "web/task.h"

namespace usage {

// Kept besides the current month; reports by day reach as far.
inline constexpr int months_of_names = 12;

// Callable from every thread; the arguments must outlive it.
class NameCollector {
 public:
  // `blocking` is used to read the whole table.
  NameCollector(store::System system, boost::asio::thread_pool& blocking)
      : system_(std::move(system)), blocking_(blocking) {}

  // Returns the number of removed names. Throws store::Unavailable.
  web::Task<std::size_t> run(store::Time now);

 private:
  std::vector<Name> names_before(const std::string& month) const;

  store::System system_;
  boost::asio::thread_pool& blocking_;
};

}  // namespace usage
