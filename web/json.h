// Tolerant reading of JSON from other systems: members that are missing or of another type are empty.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace web {

// The text of a string; empty for null and for all other values.
inline std::string string_or_empty(const boost::json::value* value) {
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

inline std::string string_member(const boost::json::object& object, std::string_view name) {
  return string_or_empty(object.if_contains(name));
}

// Empty unless the value is an object, too.
inline std::string string_member(const boost::json::value& value, std::string_view name) {
  const auto* object = value.if_object();
  return object ? string_member(*object, name) : std::string();
}

// By a JSON pointer (RFC 6901), such as "/error/message".
inline std::string string_at(const boost::json::value& value, std::string_view pointer) {
  boost::system::error_code absent;
  return string_or_empty(value.find_pointer(pointer, absent));
}

// Null unless the member is an object. Valid as long as `object` is.
inline const boost::json::object* object_member(const boost::json::object& object, std::string_view name) {
  const auto* member = object.if_contains(name);
  return member ? member->if_object() : nullptr;
}

// Null unless the member is an array. Valid as long as `object` is.
inline const boost::json::array* array_member(const boost::json::object& object, std::string_view name) {
  const auto* member = object.if_contains(name);
  return member ? member->if_array() : nullptr;
}

}  // namespace web
