// A calendar day or month in UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/codec.h"

namespace usage {

class Period {
 public:
  static Period day(store::Time);
  static Period month(store::Time);
  // Parses a name; not set if it is not a month.
  static std::optional<Period> month_named(std::string_view);
  // Of a month.
  Period next_month() const;
  // 2026-11-21 or 2026-11.
  const std::string& name() const { return name_; }

 private:
  explicit Period(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// The start of the next day or month after `at`, when counting starts again.
store::Time next_day(store::Time at);
store::Time next_month(store::Time at);
// The start of the month that is `months` before the month of `at`.
store::Time months_before(store::Time at, int months);

}  // namespace usage
