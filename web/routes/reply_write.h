// The JSON writers of reply.h: to text, or to a boost::json::value.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "web/routes/fields_schema.h"
#include "web/routes/reply.h"

namespace web::detail {

using Milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;

void write_string(std::string& out, std::string_view text);
void write_number(std::string& out, double value);
void write_number(std::string& out, std::int64_t value);
void write_number(std::string& out, std::uint64_t value);
void write_time(std::string& out, Milliseconds time);
void write_value(std::string& out, const boost::json::value& value);
void write_value(std::string& out, const boost::json::object& object);
void write_value(std::string& out, const boost::json::array& array);

template <class T>
concept BoostJson = std::is_same_v<T, boost::json::value> || std::is_same_v<T, boost::json::object> ||
    std::is_same_v<T, boost::json::array>;

// The number in Integer, Number and NumberBetween.
template <class T>
concept BoundedNumber = std::is_class_v<T> &&(WholeField<T> || NumberField<T>);

template <class T>
void write(std::string& out, const T& value);

// The comma before a member, its name and its colon; member names need no escapes.
template <class Member>
inline constexpr auto member_opening = [] {
  constexpr auto name = json_name(Member::name);
  std::array<char, name.size() + 4> text{',', '"'};
  std::ranges::copy(name, text.begin() + 2);
  text[name.size() + 2] = '"';
  text[name.size() + 3] = ':';
  return text;
}();

template <DescribedStruct T>
void write_struct(std::string& out, const T& value) {
  const auto begin = out.size();
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    constexpr auto& opening = member_opening<decltype(member)>;
    out.append(opening.data(), opening.size());
    write(out, value.*member.pointer);
  });
  if (out.size() == begin) out += ',';
  out[begin] = '{';
  out += '}';
}

template <class T>
void write(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    write_number(out, static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    write_number(out, static_cast<Wide>(value));
  } else if constexpr (DescribedEnum<T>) {
    write_string(out, enum_name(value));
  } else if constexpr (BoundedNumber<T>) {
    write(out, value.value);
  } else if constexpr (is_optional<T>) {
    if (value) {
      write(out, *value);
    } else {
      out += "null";
    }
  } else if constexpr (is_time_point<T>) {
    write_time(out, std::chrono::floor<std::chrono::milliseconds>(value));
  } else if constexpr (BoostJson<T>) {
    write_value(out, value);
  } else if constexpr (OwnJson<T>) {
    boost::json::value json;
    tag_invoke(boost::json::value_from_tag{}, json, value);
    write_value(out, json);
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    write_string(out, value);
  } else if constexpr (ListField<T>) {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      write<typename Bounds<T>::Item>(out, value[i]);
    }
    out += ']';
  } else if constexpr (is_string_map<T>) {
    char before = '{';
    for (const auto& [key, item] : value) {
      out += before;
      before = ',';
      write_string(out, key);
      out += ':';
      write(out, item);
    }
    if (before == '{') out += before;
    out += '}';
  } else if constexpr (is_variant<T>) {
    std::visit([&](const auto& held) { write(out, held); }, value);
  } else if constexpr (DescribedStruct<T>) {
    write_struct(out, value);
  } else if constexpr (std::is_constructible_v<std::string, const T&>) {
    write_string(out, static_cast<std::string>(value));
  } else {
    static_assert(unknown_field_type<T>, "no JSON for this type: see the top of web/routes/reply.h");
  }
}

template <class T>
boost::json::value build(const T& value) {
  namespace json = boost::json;
  if constexpr (std::is_same_v<T, bool>) {
    return json::value(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value) ? json::value(static_cast<double>(value)) : json::value(nullptr);
  } else if constexpr (std::is_integral_v<T>) {
    return json::value(value);
  } else if constexpr (DescribedEnum<T>) {
    return json::value(json::string(enum_name(value)));
  } else if constexpr (BoundedNumber<T>) {
    return build(value.value);
  } else if constexpr (is_optional<T>) {
    return value ? build(*value) : json::value(nullptr);
  } else if constexpr (is_time_point<T>) {
    return json::value(iso8601(std::chrono::floor<std::chrono::milliseconds>(value)));
  } else if constexpr (BoostJson<T>) {
    return json::value(value);
  } else if constexpr (OwnJson<T>) {
    json::value out;
    tag_invoke(json::value_from_tag{}, out, value);
    return out;
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return json::value(json::string(std::string_view(value)));
  } else if constexpr (ListField<T>) {
    json::array out;
    out.reserve(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) out.push_back(build<typename Bounds<T>::Item>(value[i]));
    return out;
  } else if constexpr (is_string_map<T>) {
    json::object out;
    for (const auto& [key, item] : value) out[key] = build(item);
    return out;
  } else if constexpr (is_variant<T>) {
    return std::visit([](const auto& held) { return build(held); }, value);
  } else if constexpr (DescribedStruct<T>) {
    json::object out;
    boost::mp11::mp_for_each<Members<T>>(
        [&](auto member) { out[json_name(member.name)] = build(value.*member.pointer); });
    return out;
  } else if constexpr (std::is_constructible_v<std::string, const T&>) {
    return json::value(static_cast<std::string>(value));
  } else {
    static_assert(unknown_field_type<T>, "no JSON for this type: see the top of web/routes/reply.h");
  }
}

}  // namespace web::detail

namespace web {

template <class T>
boost::json::value to_json(const T& value) {
  return detail::build(value);
}

template <class T>
void write_json(std::string& out, const T& value) {
  detail::write(out, value);
}

}  // namespace web
