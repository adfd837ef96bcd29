// Removes the names of agents, keys, models and tools from months that no report reaches back to.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "appliance/billing/usage/records.h"
#include "store/store.h"
#include "web/task.h"

namespace usage {

// Beside the current month; as far as reports by day go.
inline constexpr int months_of_names = 12;

// Callable from every thread; the arguments must outlive it.
class NameCollector {
 public:
  // `blocking` reads the whole table.
  NameCollector(store::System system, boost::asio::thread_pool& blocking)
      : system_(std::move(system)), blocking_(blocking) {}

  // How many were removed. Throws store::Unavailable.
  web::Task<std::size_t> run(store::Time now);

 private:
  std::vector<Name> names_before(const std::string& month) const;

  store::System system_;
  boost::asio::thread_pool& blocking_;
};

}  // namespace usage
