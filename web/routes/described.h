// Type traits for fields.h and reply.h: described structs, described enums and the JSON names of their parts.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <boost/json/value_from.hpp>
#include <boost/mp11/algorithm.hpp>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace web::detail {

template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;

template <class T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <class T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;

// A type with its own conversion to boost::json::value (Boost.JSON's tag_invoke).
template <class T>
concept OwnJson = std::is_class_v<T> && requires(boost::json::value& json, const T& value) {
  tag_invoke(boost::json::value_from_tag{}, json, value);
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;

// The name in JSON of a described member or enumerator. One trailing underscore is dropped, so that `default_` and
// `delete_` can stand for names that C++ reserves.
constexpr std::string_view json_name(const char* described) {
  std::string_view name = described;
  if (name.size() > 1 && name.back() == '_') name.remove_suffix(1);
  return name;
}

template <DescribedEnum E>
constexpr std::string_view enum_name(E value) {
  std::string_view name;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto described) {
    if (described.value == value) name = json_name(described.name);
  });
  return name;
}

template <DescribedEnum E>
constexpr std::optional<E> enum_value(std::string_view name) {
  std::optional<E> value;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto described) {
    if (json_name(described.name) == name) value = described.value;
  });
  return value;
}

}  // namespace web::detail
