// The JSON Schema (2020-12) of the types of fields.h and reply.h.
#pragma once

#include <chrono>
#include <map>
#include <typeindex>
#include <variant>

#include "web/routes/fields_read.h"

namespace web::detail {

template <class T>
inline constexpr bool is_time_point = false;
template <class D>
inline constexpr bool is_time_point<std::chrono::sys_time<D>> = true;

template <class T>
inline constexpr bool is_string_map = false;
template <class T>
inline constexpr bool is_string_map<std::map<std::string, T>> = true;

template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

template <class T>
inline constexpr bool is_verbatim = false;
template <std::size_t Min, std::size_t Max>
inline constexpr bool is_verbatim<Verbatim<Min, Max>> = true;

boost::json::object text_schema(std::size_t min, std::size_t max, bool may_be_blank);
boost::json::object whole_schema(std::int64_t lo, std::int64_t hi);
boost::json::object number_schema(double least, double most);
boost::json::object list_schema(boost::json::object items, std::size_t fewest, std::size_t most);
// The same schema, but null is allowed too.
boost::json::object or_null(boost::json::object schema);

// The enclosing structs: one that contains itself (a tree) is described as a plain object the second time.
using Open = std::vector<std::type_index>;

template <class T>
boost::json::object schema(Open& open);

template <DescribedStruct T>
boost::json::object struct_schema(Open& open) {
  for (const auto& type : open) {
    if (type == typeid(T)) return {{"type", "object"}};
  }
  open.emplace_back(typeid(T));
  boost::json::object properties;
  boost::json::array required;
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    using Field = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
    const auto name = json_name(member.name);
    properties[name] = schema<Field>(open);
    if (!is_optional<Field>) required.emplace_back(boost::json::string(name));
  });
  open.pop_back();
  boost::json::object out{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

template <class T>
boost::json::object schema(Open& open) {
  if constexpr (is_optional<T>) {
    return or_null(schema<typename T::value_type>(open));
  } else if constexpr (std::is_same_v<T, Id>) {
    auto out = text_schema(Bounds<Id>::min, Bounds<Id>::max, false);
    out["pattern"] = "^[A-Za-z0-9_-]+$";
    return out;
  } else if constexpr (TextField<T>) {
    return text_schema(Bounds<T>::min, Bounds<T>::max == max_string ? SIZE_MAX : Bounds<T>::max, is_verbatim<T>);
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (WholeField<T>) {
    return whole_schema(Bounds<T>::lo, Bounds<T>::hi);
  } else if constexpr (NumberField<T>) {
    return number_schema(Bounds<T>::least, Bounds<T>::most);
  } else if constexpr (std::is_integral_v<T>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (DescribedEnum<T>) {
    boost::json::array names;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
        [&](auto described) { names.emplace_back(boost::json::string(json_name(described.name))); });
    return {{"type", "string"}, {"enum", std::move(names)}};
  } else if constexpr (is_time_point<T>) {
    return {{"type", "string"}, {"format", "date-time"}};
  } else if constexpr (ListField<T>) {
    constexpr bool bounded = !is_vector<T>;
    return list_schema(schema<typename Bounds<T>::Item>(open), Bounds<T>::fewest, bounded ? Bounds<T>::most : SIZE_MAX);
  } else if constexpr (is_string_map<T>) {
    return {{"type", "object"}, {"additionalProperties", schema<typename T::mapped_type>(open)}};
  } else if constexpr (std::is_same_v<T, boost::json::object>) {
    return {{"type", "object"}};
  } else if constexpr (std::is_same_v<T, boost::json::array>) {
    return {{"type", "array"}};
  } else if constexpr (is_variant<T>) {
    boost::json::array choices;
    boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, T>>(
        [&](auto choice) { choices.emplace_back(schema<typename decltype(choice)::type>(open)); });
    return {{"oneOf", std::move(choices)}};
  } else if constexpr (OwnJson<T> || std::is_same_v<T, boost::json::value>) {
    return {};
  } else if constexpr (DescribedStruct<T>) {
    return struct_schema<T>(open);
  } else if constexpr (std::is_convertible_v<T, std::string_view> || std::is_constructible_v<std::string, T>) {
    return {{"type", "string"}};
  } else {
    static_assert(unknown_field_type<T>,
                  "no JSON Schema for this type: see web/routes/fields.h and web/routes/reply.h");
  }
}

}  // namespace web::detail

namespace web {

template <class T>
boost::json::value schema_of() {
  detail::Open open;
  return detail::schema<T>(open);
}

}  // namespace web
