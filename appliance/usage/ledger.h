// The usage ledger: one durable row for each model call, and counters by day and month kept in the same change, so that
// quotas and dashboards read counters, not history.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/usage/records.h"
#include "store/store.h"
#include "web/task.h"

namespace usage {

struct Totals {
  std::int64_t calls = 0, failed = 0;  // calls includes the failed ones
  std::int64_t input_tokens = 0, output_tokens = 0;
  Money cost;
};

// A calendar day or month in UTC.
class Period {
 public:
  static Period day(store::Time);
  static Period month(store::Time);
  // 2026-11-21 or 2026-11.
  const std::string& name() const { return name_; }

 private:
  explicit Period(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// Callable from every thread; must not outlive the store.
class Ledger {
 public:
  explicit Ledger(store::System system) : system_(std::move(system)) {}

  // Fills in the call's id and writes it with its counters, all or nothing; returns once that is durable. Throws
  // store::Unavailable when the store is read-only.
  web::Task<> record(Call);

  Totals totals(store::UserId, const Period&) const;
  Totals agent_totals(store::UserId, std::string_view agent, const Period&) const;
  Totals model_totals(store::UserId, std::string_view model, const Period&) const;
  // Newest first.
  std::vector<Call> newest(store::UserId, std::size_t limit) const;

 private:
  Totals read(store::UserId, const std::string& prefix) const;

  store::System system_;
};

}  // namespace usage
