// The ledger of connections that left the box (web/client/outbound.h), kept in the store.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/box/egress/records.h"
#include "web/client/outbound.h"
#include "web/task.h"

namespace egress {

// Which lines a list has; empty members select all.
struct Filter {
  std::optional<std::string> part, host, agent;
  std::optional<std::int64_t> user;
  bool is_refused = false;  // only lines with refusals
};

class EgressLedger {
 public:
  // The owner of an agent, for lines that name only the agent. Called on `home`.
  using OwnerOf = std::function<std::int64_t(const std::string& agent)>;

  // `home` runs keep() and sweep(); both arguments must outlive it.
  EgressLedger(store::System, web::Outbound&, boost::asio::io_context& home, OwnerOf);

  // Adds what was counted since the last call to the lines of the hour of `now`. An hour has at most 1,000 lines; what
  // exceeds them is added to one line for each part. Runs on `home`, whichever thread calls it.
  web::Task<> keep(store::Time now);
  // Removes lines older than 30 days.
  web::Task<> sweep(store::Time now);

  // Newest hour first, at most `limit`, before the line of that id. Blocks.
  std::vector<HourLine> list(const Filter&, const std::string& before, std::size_t limit) const;
  web::OutboundPolicy policy() const { return outbound_.policy(); }

 private:
  web::Task<> keep_here(store::Time now);
  web::Task<> add(HourLine);
  std::size_t lines_of(store::Time hour);

  store::System system_;
  web::Outbound& outbound_;
  boost::asio::io_context& home_;
  const OwnerOf owner_of_;
  // How many lines the hour that was written last has. On `home` only.
  struct {
    store::Time hour{};
    std::size_t lines = 0;
  } newest_;
};

}  // namespace egress
