// Records to bytes and back. A record is a described struct; its JSON object has one field for each member.
// Known member types: std::string, bool, integers, double, Time, Sealed, described enums (by name), std::optional,
// std::vector, std::map<std::string, T>, boost::json::object and value, nested described structs.
// A field that is absent or null keeps the member's default, so that members can be added without a migration; fields
// that no member names are kept when a record is updated.
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <boost/mp11/algorithm.hpp>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "store/engine.h"
#include "store/seal.h"

namespace store {

// UTC, stored as milliseconds since the epoch.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;
inline Time now() { return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

// A secret: clear in memory, AES-256-GCM under the box's master key on disk, bound to its table, record and field.
struct Sealed {
  std::string clear;
  bool operator==(const Sealed&) const = default;
};

// Where a record stands: what its sealed fields are bound to.
struct Place {
  const Sealer* sealer = nullptr;
  std::uint8_t table = 0;
  std::string_view key;
};

namespace codec {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_string_map = false;
template <class T>
inline constexpr bool is_string_map<std::map<std::string, T>> = true;
template <class T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <class T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;

template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_any_access | boost::describe::mod_inherited>;

// Throws Corrupt naming the field.
[[noreturn]] void wrong_type(std::string_view field);

template <class T>
void read(const boost::json::value& json, T& out, const Place& place, std::string_view field);
template <class T>
void write(boost::json::value& json, const T& value, const Place& place, std::string_view field);

template <DescribedStruct T>
void read_members(const boost::json::object& json, T& out, const Place& place) {
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    if (const auto* field = json.if_contains(member.name); field && !field->is_null())
      read(*field, out.*member.pointer, place, member.name);
  });
}

template <DescribedStruct T>
void write_members(boost::json::object& json, const T& value, const Place& place) {
  boost::mp11::mp_for_each<Members<T>>(
      [&](auto member) { write(json[member.name], value.*member.pointer, place, member.name); });
}

template <class T>
void read(const boost::json::value& json, T& out, const Place& place, std::string_view field) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_bool()) wrong_type(field);
    out = json.get_bool();
  } else if constexpr (std::is_integral_v<T>) {
    boost::system::error_code error;
    out = json.to_number<T>(error);
    if (error) wrong_type(field);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number()) wrong_type(field);
    out = json.to_number<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) wrong_type(field);
    out.assign(json.get_string().data(), json.get_string().size());
  } else if constexpr (std::is_same_v<T, Time>) {
    if (!json.is_int64()) wrong_type(field);
    out = Time(std::chrono::milliseconds(json.get_int64()));
  } else if constexpr (std::is_same_v<T, Sealed>) {
    if (!json.is_string()) wrong_type(field);
    out.clear = place.sealer->open(json.get_string(), place.table, place.key, field);
  } else if constexpr (DescribedEnum<T>) {
    if (!json.is_string()) wrong_type(field);
    const auto& text = json.get_string();
    if (!boost::describe::enum_from_string(std::string(text.data(), text.size()).c_str(), out)) wrong_type(field);
  } else if constexpr (is_optional<T>) {
    read(json, out.emplace(), place, field);
  } else if constexpr (is_vector<T>) {
    if (!json.is_array()) wrong_type(field);
    out.clear();
    for (const auto& element : json.get_array()) read(element, out.emplace_back(), place, field);
  } else if constexpr (is_string_map<T>) {
    if (!json.is_object()) wrong_type(field);
    out.clear();
    for (const auto& entry : json.get_object()) read(entry.value(), out[std::string(entry.key())], place, field);
  } else if constexpr (std::is_same_v<T, boost::json::object>) {
    if (!json.is_object()) wrong_type(field);
    out = boost::json::object(json.get_object(), boost::json::storage_ptr());
  } else if constexpr (std::is_same_v<T, boost::json::value>) {
    out = boost::json::value(json, boost::json::storage_ptr());
  } else {
    static_assert(DescribedStruct<T>, "store: no codec for this member type");
    if (!json.is_object()) wrong_type(field);
    read_members(json.get_object(), out, place);
  }
}

template <class T>
void write(boost::json::value& json, const T& value, const Place& place, std::string_view field) {
  if constexpr (std::is_same_v<T, bool> || std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                std::is_same_v<T, boost::json::object> || std::is_same_v<T, boost::json::value>) {
    json = value;
  } else if constexpr (std::is_same_v<T, Time>) {
    json = static_cast<std::int64_t>(value.time_since_epoch().count());
  } else if constexpr (std::is_same_v<T, Sealed>) {
    json = place.sealer->seal(value.clear, place.table, place.key, field);
  } else if constexpr (DescribedEnum<T>) {
    json = boost::describe::enum_to_string(value, "");
  } else if constexpr (is_optional<T>) {
    if (value)
      write(json, *value, place, field);
    else
      json = nullptr;
  } else if constexpr (is_vector<T>) {
    auto& array = json.emplace_array();
    array.reserve(value.size());
    for (const auto& element : value) write(array.emplace_back(nullptr), element, place, field);
  } else if constexpr (is_string_map<T>) {
    auto& object = json.emplace_object();
    for (const auto& [name, element] : value) write(object[name], element, place, field);
  } else {
    static_assert(DescribedStruct<T>, "store: no codec for this member type");
    write_members(json.emplace_object(), value, place);
  }
}

// The parsed object of a record's bytes, in `storage`. Throws Corrupt when they are no JSON object.
boost::json::object parse(std::string_view bytes, boost::json::storage_ptr storage);

}  // namespace codec

// Throws Corrupt when the bytes are no JSON object or a field has the wrong type.
template <class R>
R decode(std::string_view bytes, const Place& place) {
  unsigned char buffer[4096];
  boost::json::monotonic_resource storage(buffer, sizeof buffer);
  R record{};
  codec::read_members(codec::parse(bytes, &storage), record, place);
  return record;
}

// `before` is what the record was read from (empty: a new one); fields of it that R does not name are kept.
template <class R>
std::string encode(const R& record, const Place& place, std::string_view before = {}) {
  unsigned char buffer[4096];
  boost::json::monotonic_resource storage(buffer, sizeof buffer);
  boost::json::object json = before.empty() ? boost::json::object(&storage) : codec::parse(before, &storage);
  codec::write_members(json, record, place);
  return boost::json::serialize(json);
}

}  // namespace store
