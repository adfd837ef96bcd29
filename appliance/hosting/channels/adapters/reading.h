// What adapters share: tolerant reading of numbers in JSON, and times.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace channels {

inline constexpr std::chrono::seconds api_timeout{15}, file_timeout{60};
inline constexpr std::chrono::seconds event_wait{50};          // for events, before receive() returns without any
inline constexpr std::chrono::seconds max_signature_age{300};  // of pushed events
// A connection that ends sooner is not opened again at once.
inline constexpr std::chrono::seconds quick_end{10};
inline constexpr std::size_t max_events_at_once = 50;

// By a JSON pointer; 0 if there is no integer.
inline std::int64_t integer_at(const boost::json::value& value, std::string_view pointer) {
  boost::system::error_code absent;
  const auto* found = value.find_pointer(pointer, absent);
  return found && found->is_int64() ? found->get_int64() : 0;
}

inline std::int64_t integer_member(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_int64() ? value->get_int64() : 0;
}

}  // namespace channels
