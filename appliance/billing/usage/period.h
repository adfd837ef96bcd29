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
  // From its name; nothing for what is none.
  static std::optional<Period> month_named(std::string_view);
  // 2026-11-21 or 2026-11.
  const std::string& name() const { return name_; }

 private:
  explicit Period(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

// The first moment of the day or of the month after `at`: when what is counted begins anew.
store::Time next_day(store::Time at);
store::Time next_month(store::Time at);
// The first moment of the month so many before that of `at`.
store::Time months_before(store::Time at, int months);

}  // namespace usage
