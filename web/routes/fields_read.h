// How fields.h reads: one overload set over JSON values, one over the text of a query string.
#pragma once

#include "web/routes/fields.h"

namespace web::detail {

// A field's place. Lives on the stack while reading and is turned into text ("tags[2].name") only for a message.
struct Where {
  static constexpr std::size_t no_index = static_cast<std::size_t>(-1);
  const Where* parent = nullptr;
  std::string_view name;
  std::size_t index = no_index;

  std::string text() const;  // empty for the root
};

// Why a field is invalid, for the client; nothing if it was read.
using Problem = std::optional<std::string>;
Problem problem(const Where&, std::string_view what);

enum class Controls { refused, line_breaks_and_tabs, all_but_nul };
Problem check_text(std::string_view text, std::size_t min, std::size_t max, Controls, const Where&);
Problem check_id(std::string_view text, const Where&);
Problem read_whole(const boost::json::value&, std::int64_t lo, std::int64_t hi, std::int64_t& out, const Where&);
Problem read_whole(std::string_view text, std::int64_t lo, std::int64_t hi, std::int64_t& out, const Where&);
Problem read_number(const boost::json::value&, double lo, double hi, double& out, const Where&);
Problem read_number(std::string_view text, double lo, double hi, double& out, const Where&);
Problem read_bool(std::string_view text, bool& out, const Where&);
Problem check_count(std::size_t count, std::size_t min, std::size_t max, const Where&);

// Checks the Content-Type and parses strict JSON.
Result<boost::json::value> json_body(const Request&, bool may_be_empty);

// Decoded name and value pairs of a query string, or why it is invalid.
using Pairs = std::vector<std::pair<std::string, std::string>>;
Result<Pairs> query_pairs(std::string_view query);

inline constexpr std::size_t max_string = 1'048'576;
inline constexpr std::size_t max_items = 1'000;
inline constexpr double no_bound = std::numeric_limits<double>::max();

// The bounds of each field type.
template <class T>
struct Bounds;
template <std::size_t Min, std::size_t Max>
struct Bounds<Text<Min, Max>> {
  static Problem check(std::string_view text, const Where& where) {
    return check_text(text, Min, Max, Controls::refused, where);
  }
  static constexpr std::size_t min = Min, max = Max;
};
template <std::size_t Min, std::size_t Max>
struct Bounds<Prose<Min, Max>> {
  static Problem check(std::string_view text, const Where& where) {
    return check_text(text, Min, Max, Controls::line_breaks_and_tabs, where);
  }
  static constexpr std::size_t min = Min, max = Max;
};
template <std::size_t Min, std::size_t Max>
struct Bounds<Verbatim<Min, Max>> {
  static Problem check(std::string_view text, const Where& where) {
    return check_text(text, Min, Max, Controls::all_but_nul, where);
  }
  static constexpr std::size_t min = Min, max = Max;
};
template <>
struct Bounds<std::string> : Bounds<Text<0, max_string>> {};
template <>
struct Bounds<Id> {
  static Problem check(std::string_view text, const Where& where) { return check_id(text, where); }
  static constexpr std::size_t min = 1, max = 128;
};
template <std::int64_t Lo, std::int64_t Hi>
struct Bounds<Integer<Lo, Hi>> {
  static constexpr std::int64_t lo = Lo, hi = Hi;
};
template <>
struct Bounds<std::int64_t> : Bounds<Integer<INT64_MIN, INT64_MAX>> {};
template <std::int64_t Lo, std::int64_t Hi>
struct Bounds<NumberBetween<Lo, Hi>> {
  static constexpr double least = static_cast<double>(Lo), most = static_cast<double>(Hi);
};
template <>
struct Bounds<Number> {
  static constexpr double least = -no_bound, most = no_bound;
};
template <>
struct Bounds<double> : Bounds<Number> {};
template <class T, std::size_t Min, std::size_t Max>
struct Bounds<List<T, Min, Max>> {
  using Item = T;
  static constexpr std::size_t fewest = Min, most = Max;
};
template <class T, class A>
struct Bounds<std::vector<T, A>> : Bounds<List<T, 0, max_items>> {};

template <class T>
concept TextField = requires(std::string_view text, const Where& where) {
  Bounds<T>::check(text, where);
};
template <class T>
concept WholeField = requires {
  Bounds<T>::lo;
};
template <class T>
concept NumberField = requires {
  Bounds<T>::least;
};
template <class T>
concept ListField = requires {
  typename Bounds<T>::Item;
};

template <class T>
inline constexpr bool unknown_field_type = false;

template <WholeField T, class Source>
Problem read_whole_field(const Source& source, T& out, const Where& where) {
  std::int64_t value = 0;
  if (auto wrong = read_whole(source, Bounds<T>::lo, Bounds<T>::hi, value, where)) return wrong;
  out = T{value};
  return {};
}

template <NumberField T, class Source>
Problem read_number_field(const Source& source, T& out, const Where& where) {
  double value = 0;
  if (auto wrong = read_number(source, Bounds<T>::least, Bounds<T>::most, value, where)) return wrong;
  out = T{value};
  return {};
}

template <TextField T>
Problem read_text_field(std::string_view text, T& out, const Where& where) {
  if (auto wrong = Bounds<T>::check(text, where)) return wrong;
  out.assign(text);
  return {};
}

template <DescribedEnum E>
Problem read_enum(std::string_view text, E& out, const Where& where) {
  if (auto value = enum_value<E>(text)) {
    out = *value;
    return {};
  }
  std::string names;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto described) {
    if (!names.empty()) names += ", ";
    names += json_name(described.name);
  });
  return problem(where, "must be one of: " + names);
}

template <class T>
Problem read(const boost::json::value& json, T& out, const Where& where);

template <ListField T>
Problem read_list(const boost::json::value& json, T& out, const Where& where) {
  const auto* array = json.if_array();
  if (!array) return problem(where, "must be an array");
  if (auto wrong = check_count(array->size(), Bounds<T>::fewest, Bounds<T>::most, where)) return wrong;
  out.clear();
  out.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    typename Bounds<T>::Item item{};
    if (auto wrong = read((*array)[i], item, Where{&where, {}, i})) return wrong;
    out.push_back(std::move(item));
  }
  return {};
}

template <DescribedStruct T>
Problem read_object(const boost::json::value& json, T& out, const Where& where) {
  const auto* object = json.if_object();
  if (!object) return problem(where, "must be an object");
  Problem wrong;
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    if (wrong) return;
    auto& field = out.*member.pointer;
    const Where place{&where, json_name(member.name)};
    const auto* found = object->if_contains(place.name);
    if (found && !found->is_null()) {
      wrong = read(*found, field, place);
    } else if constexpr (is_optional<std::remove_reference_t<decltype(field)>>) {
      field.reset();
    } else {
      wrong = problem(place, "is required");
    }
  });
  return wrong;
}

template <class T>
Problem read(const boost::json::value& json, T& out, const Where& where) {
  if constexpr (is_optional<T>) {
    if (json.is_null()) return out.reset(), Problem{};
    return read(json, out.emplace(), where);
  } else if constexpr (TextField<T>) {
    const auto* text = json.if_string();
    if (!text) return problem(where, "must be a string");
    return read_text_field(std::string_view(text->data(), text->size()), out, where);
  } else if constexpr (WholeField<T>) {
    return read_whole_field(json, out, where);
  } else if constexpr (NumberField<T>) {
    return read_number_field(json, out, where);
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto* value = json.if_bool();
    if (!value) return problem(where, "must be true or false");
    out = *value;
    return {};
  } else if constexpr (DescribedEnum<T>) {
    const auto* text = json.if_string();
    return read_enum(text ? std::string_view(text->data(), text->size()) : std::string_view(), out, where);
  } else if constexpr (ListField<T>) {
    return read_list(json, out, where);
  } else if constexpr (std::is_same_v<T, boost::json::value>) {
    out = json;
    return {};
  } else if constexpr (std::is_same_v<T, boost::json::object>) {
    const auto* object = json.if_object();
    if (!object) return problem(where, "must be an object");
    out = *object;
    return {};
  } else if constexpr (DescribedStruct<T>) {
    return read_object(json, out, where);
  } else {
    static_assert(unknown_field_type<T>, "not a type a body can have: see the top of web/routes/fields.h");
  }
}

// One value of a query string.
template <class T>
Problem read_text(std::string_view text, T& out, const Where& where) {
  if constexpr (is_optional<T>) {
    return read_text(text, out.emplace(), where);
  } else if constexpr (TextField<T>) {
    return read_text_field(text, out, where);
  } else if constexpr (WholeField<T>) {
    return read_whole_field(text, out, where);
  } else if constexpr (NumberField<T>) {
    return read_number_field(text, out, where);
  } else if constexpr (std::is_same_v<T, bool>) {
    return read_bool(text, out, where);
  } else if constexpr (DescribedEnum<T>) {
    return read_enum(text, out, where);
  } else {
    static_assert(unknown_field_type<T>, "not a type a query can have: see the top of web/routes/fields.h");
  }
}

template <class T>
Problem read_parameter(const Pairs& pairs, T& out, const Where& where) {
  std::size_t count = 0;
  for (const auto& [name, value] : pairs) {
    if (name != where.name) continue;
    ++count;
    if constexpr (ListField<T>) {
      typename Bounds<T>::Item item{};
      if (auto wrong = read_text(value, item, where)) return wrong;
      out.push_back(std::move(item));
    } else {
      if (count > 1) return problem(where, "is given more than once");
      if (auto wrong = read_text(value, out, where)) return wrong;
    }
  }
  if constexpr (ListField<T>) return check_count(count, Bounds<T>::fewest, Bounds<T>::most, where);
  if (count == 0 && !is_optional<T>) return problem(where, "is required");
  return {};
}

template <DescribedStruct T>
constexpr bool all_optional() {
  bool all = true;
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    all = all && is_optional<std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>>;
  });
  return all;
}

}  // namespace web::detail

namespace web {

template <class T>
Result<T> parse_value(const boost::json::value& json, std::string_view where) {
  T out{};
  const detail::Where root{nullptr, where};
  if (auto wrong = detail::read(json, out, root)) return invalid(std::move(*wrong));
  return out;
}

template <class T>
Result<T> parse_body(const Request& request) {
  bool may_be_empty = false;
  if constexpr (detail::DescribedStruct<T>) may_be_empty = detail::all_optional<T>();
  auto json = detail::json_body(request, may_be_empty);
  if (!json) return json.error();
  return parse_value<T>(*json);
}

template <class T>
Result<T> parse_query(const Request& request) {
  auto pairs = detail::query_pairs(request.query);
  if (!pairs) return pairs.error();
  T out{};
  detail::Problem wrong;
  boost::mp11::mp_for_each<detail::Members<T>>([&](auto member) {
    if (!wrong) wrong = detail::read_parameter(*pairs, out.*member.pointer, {nullptr, detail::json_name(member.name)});
  });
  if (wrong) return invalid(std::move(*wrong));
  return out;
}

}  // namespace web
