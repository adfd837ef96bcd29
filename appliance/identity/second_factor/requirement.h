// From when on every user needs a second factor: the settings SECOND_FACTOR_REQUIRED and SECOND_FACTOR_GRACE.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "appliance/access/records.h"
#include "store/store.h"

namespace second_factor {

// Exists while every user needs a second factor.
struct RequiredSince {
  std::string name = "all users";  // the key; there is one
  store::Time since{};             // the first start with the setting
};
BOOST_DESCRIBE_STRUCT(RequiredSince, (), (name, since))

inline const store::Global<RequiredSince> required_since{
    {.family = "second_factor_required", .number = 170}, &RequiredSince::name, {}};

// Immutable: callable from every thread.
class Requirement {
 public:
  // Notes the first start with the setting, and forgets it without. Writes to the store: blocks.
  Requirement(const store::System&, bool is_required, std::chrono::milliseconds grace);

  // When the grace period of this user ends, whether or not there is a second factor; nothing if none is required.
  std::optional<store::Time> deadline(const accounts::User&) const;

 private:
  std::optional<store::Time> since_;
  const std::chrono::milliseconds grace_;
};

}  // namespace second_factor
