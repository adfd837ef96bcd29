// Records to bytes and back. A record is a described struct; its JSON object has one field for each member, in order.
// Member types: std::string, bool, integers, double, Time, Decimal, Sealed, described enums (by name), std::optional,
// std::vector, std::map<std::string, T>, boost::json::object and value, described structs.
// A field that is absent or null keeps the member's default, so that members can be added without a migration; types of
// which there are many may leave out members with default values (leaves_out_defaults).
// Fields that no member names are kept when a record is updated, also inside structs, optionals and maps of structs;
// inside a vector as long as the vector itself is not changed. Text may be any bytes: invalid UTF-8 is
// kept as it is.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <boost/mp11/algorithm.hpp>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/clock.h"
#include "store/decimal.h"
#include "store/engine.h"
#include "store/json_reader.h"
#include "store/seal.h"

namespace store {

// A secret: clear in memory, AES-256-GCM under the box's master key on disk, bound to its table, record and field.
struct Sealed {
  std::string clear;
  bool operator==(const Sealed&) const = default;
};

// The position of a record, which its sealed fields are bound to.
struct Place {
  const Sealer* sealer = nullptr;  // may be null for records without sealed fields
  std::uint8_t table = 0;
  std::string_view key;
};

// Whether records of type T are written without the members that have their default values. Those defaults are then
// part of the format and must not change. Specialized beside the type.
template <class T>
inline constexpr bool leaves_out_defaults = false;

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
concept FreeJson = std::is_same_v<T, boost::json::object> || std::is_same_v<T, boost::json::value>;

template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_any_access | boost::describe::mod_inherited>;

// The path from the record to one value. Lives on the stack while the value is read or written.
struct Field {
  const Place& place;
  const Field* up = nullptr;
  std::string_view name{};
  // "token", "providers[2].token": sealed text is bound to it and to the record.
  std::string path() const;
};

std::string open_sealed(std::string_view sealed, const Field&);
void append_sealed(std::string& out, std::string_view clear, const Field&);
boost::json::value read_free(JsonReader&);
void append_free(std::string& out, const boost::json::value&);
void append_free(std::string& out, const boost::json::object&);
void append_number(std::string& out, std::int64_t);
void append_number(std::string& out, std::uint64_t);
void append_number(std::string& out, double);  // throws std::invalid_argument for infinities and NaN
std::string element_name(std::size_t index);   // "[2]"

template <class T>
void read(JsonReader& in, T& out, const Field& field);

// The comma before a member, its name and its colon: names of members need no escapes.
template <class Member>
inline constexpr auto member_opening = [] {
  constexpr std::string_view name = Member::name;
  std::array<char, name.size() + 4> text{',', '"'};
  std::ranges::copy(name, text.begin() + 2);
  text[name.size() + 2] = '"';
  text[name.size() + 3] = ':';
  return text;
}();

template <DescribedStruct T>
struct StructReader {
  using ReadMember = void (*)(JsonReader&, T&, const Field&);
  static constexpr std::size_t size = boost::mp11::mp_size<Members<T>>::value;

  template <class Member>
  static void read_member(JsonReader& in, T& out, const Field& field) {
    read(in, out.*Member::pointer, field);
  }
  template <class... Member>
  static constexpr std::array<std::pair<std::string_view, ReadMember>, size> table_of(boost::mp11::mp_list<Member...>) {
    return {{{Member::name, &read_member<Member>}...}};
  }
  static constexpr auto members = table_of(boost::mp11::mp_rename<Members<T>, boost::mp11::mp_list>());

  template <class... Member>
  static constexpr std::array<std::string_view, size + 1> openings_of(boost::mp11::mp_list<Member...>) {
    return {{std::string_view(member_opening<Member>.data() + 1, member_opening<Member>.size() - 1)..., {}}};
  }
  // The name of each member in quotes with the colon, and an empty one at the end.
  static constexpr auto openings = openings_of(boost::mp11::mp_rename<Members<T>, boost::mp11::mp_list>());

  // The member of that name, searched for from `expected` on, since fields mostly come in order; `size` if none.
  static std::size_t find(std::string_view name, std::size_t expected) {
    for (std::size_t at = expected; at < size; ++at)
      if (members[at].first == name) return at;
    for (std::size_t at = 0; at < expected; ++at)
      if (members[at].first == name) return at;
    return size;
  }
};

template <DescribedStruct T>
void read_struct(JsonReader& in, T& out, const Field& field) {
  using Reader = StructReader<T>;
  std::size_t expected = 0;
  const auto read_at = [&](std::size_t at) {
    expected = at + 1;
    if (in.null()) return;
    const auto& [member_name, read_member] = Reader::members[at];
    read_member(in, out, {field.place, &field, member_name});
  };
  in.object([&] { return Reader::openings[expected]; }, [&] { read_at(expected); },
            [&](std::string_view name) {
              const auto at = Reader::find(name, expected);
              if (at == Reader::size)
                in.skip();
              else
                read_at(at);
            });
}

template <class T>
void read(JsonReader& in, T& out, const Field& field) {
  if constexpr (std::is_same_v<T, bool>) {
    out = in.boolean();
  } else if constexpr (std::is_integral_v<T>) {
    const auto number = [&in] {
      if constexpr (std::is_signed_v<T>)
        return in.int64();
      else
        return in.uint64();
    }();
    if (!std::in_range<T>(number)) in.fail("ends a number out of its field's range");
    out = static_cast<T>(number);
  } else if constexpr (std::is_floating_point_v<T>) {
    out = static_cast<T>(in.number());
  } else if constexpr (std::is_same_v<T, std::string>) {
    out = in.string();
  } else if constexpr (std::is_same_v<T, Time>) {
    out = Time(std::chrono::milliseconds(in.int64()));
  } else if constexpr (std::is_same_v<T, Decimal>) {
    const auto number = Decimal::parse(in.string());
    if (!number) in.fail("ends no decimal number");
    out = *number;
  } else if constexpr (std::is_same_v<T, Sealed>) {
    out.clear = open_sealed(in.string(), field);
  } else if constexpr (DescribedEnum<T>) {
    if (!boost::describe::enum_from_string(std::string(in.string()).c_str(), out)) in.fail("ends an unknown name");
  } else if constexpr (is_optional<T>) {
    if (in.null())
      out.reset();
    else
      read(in, out.emplace(), field);
  } else if constexpr (is_vector<T>) {
    out.clear();
    in.array([&] {
      const auto name = element_name(out.size());
      typename T::value_type element{};
      read(in, element, {field.place, &field, name});
      out.push_back(std::move(element));
    });
  } else if constexpr (is_string_map<T>) {
    out.clear();
    in.object([&](std::string_view name) {
      const std::string key(name);
      read(in, out[key], {field.place, &field, key});
    });
  } else if constexpr (std::is_same_v<T, boost::json::value>) {
    out = read_free(in);
  } else if constexpr (std::is_same_v<T, boost::json::object>) {
    auto value = read_free(in);
    if (!value.is_object()) in.fail("ends what should be an object");
    out = std::move(value.get_object());
  } else {
    static_assert(DescribedStruct<T>, "store: no codec for this member type");
    read_struct(in, out, field);
  }
}

// Whether a value of this type can hold fields that no member names.
template <class T>
constexpr bool has_fields() {
  if constexpr (is_optional<T> || is_vector<T>)
    return has_fields<typename T::value_type>();
  else if constexpr (is_string_map<T>)
    return has_fields<typename T::mapped_type>();
  else
    return DescribedStruct<T>;
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (is_vector<T>) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return same(x, y); });
  } else if constexpr (is_optional<T>) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (is_string_map<T>) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); });
  } else if constexpr (DescribedStruct<T>) {
    bool equal = true;
    boost::mp11::mp_for_each<Members<T>>(
        [&](auto member) { equal = equal && same(a.*member.pointer, b.*member.pointer); });
    return equal;
  } else {
    return a == b;
  }
}

template <class T>
bool may_leave_out(const T& value, auto member) {
  if constexpr (leaves_out_defaults<T>) {
    static const T fresh{};
    return same(value.*member, fresh.*member);
  }
  return false;
}

// Appends `value`. `before` is the JSON that was here when the record was read; empty: there was none.
template <class T>
void write(std::string& out, const T& value, const Field& field, std::string_view before);

// Calls `on_member` with each member's position, its JSON before (empty: none), and its JSON now.
template <DescribedStruct T, class OnMember>
void write_members(std::string& out, const T& value, const Field& field, std::string_view before, OnMember on_member) {
  using Reader = StructReader<T>;
  std::array<std::string_view, Reader::size> previous{};
  std::string unknown;
  if (before.starts_with('{')) {
    JsonReader in(before);
    std::size_t expected = 0;
    const auto note = [&](std::size_t at) {
      previous[at] = in.skip();
      expected = at + 1;
    };
    in.object([&] { return Reader::openings[expected]; }, [&] { note(expected); },
              [&](std::string_view name) {
                const auto at = Reader::find(name, expected);
                if (at != Reader::size) return note(at);
                unknown.push_back(',');
                append_json_string(unknown, name);
                unknown.push_back(':');
                unknown.append(in.skip());
              });
  }
  const auto begin = out.size();
  std::size_t at = 0;
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    const auto place = at++;
    const auto stored = previous[place];
    if (stored.empty() && may_leave_out(value, member.pointer)) return;
    constexpr auto& opening = member_opening<decltype(member)>;
    out.append(opening.data(), opening.size());
    const auto from = out.size();
    write(out, value.*member.pointer, {field.place, &field, member.name}, stored);
    on_member(place, stored, std::string_view(out).substr(from));
  });
  out.append(unknown);
  if (out.size() == begin) out.push_back(',');
  out[begin] = '{';
  out.push_back('}');
}

template <DescribedStruct T>
void write_struct(std::string& out, const T& value, const Field& field, std::string_view before) {
  write_members(out, value, field, before, [](std::size_t, std::string_view, std::string_view) {});
}

template <class T>
void write_map(std::string& out, const T& value, const Field& field, std::string_view before) {
  std::map<std::string, std::string_view> stored;
  if constexpr (has_fields<typename T::mapped_type>()) {
    if (before.starts_with('{')) {
      JsonReader in(before);
      in.object([&](std::string_view name) {
        std::string key(name);
        stored[std::move(key)] = in.skip();
      });
    }
  }
  char separator = '{';
  for (const auto& [name, element] : value) {
    out.push_back(std::exchange(separator, ','));
    append_json_string(out, name);
    out.push_back(':');
    const auto found = stored.find(name);
    write(out, element, {field.place, &field, name}, found == stored.end() ? std::string_view() : found->second);
  }
  if (separator == '{') out.push_back('{');
  out.push_back('}');
}

template <class T>
void write_vector(std::string& out, const T& value, const Field& field, std::string_view before) {
  if constexpr (has_fields<T>()) {
    if (before.starts_with('[')) {
      JsonReader in(before);
      T stored;
      read(in, stored, field);
      if (same(stored, value)) {
        out.append(before);
        return;
      }
    }
  }
  out.push_back('[');
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (at > 0) out.push_back(',');
    const auto name = element_name(at);
    write<typename T::value_type>(out, value[at], {field.place, &field, name}, {});
  }
  out.push_back(']');
}

template <class T>
void write(std::string& out, const T& value, const Field& field, std::string_view before) {
  if constexpr (std::is_same_v<T, bool>) {
    out.append(value ? "true" : "false");
  } else if constexpr (std::is_floating_point_v<T>) {
    append_number(out, static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T>) {
    append_number(out, static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    append_json_string(out, value);
  } else if constexpr (std::is_same_v<T, Time>) {
    append_number(out, std::int64_t{value.time_since_epoch().count()});
  } else if constexpr (std::is_same_v<T, Decimal>) {
    append_json_string(out, value.to_string());
  } else if constexpr (std::is_same_v<T, Sealed>) {
    append_sealed(out, value.clear, field);
  } else if constexpr (DescribedEnum<T>) {
    append_json_string(out, boost::describe::enum_to_string(value, ""));
  } else if constexpr (is_optional<T>) {
    if (value)
      write(out, *value, field, before);
    else
      out.append("null");
  } else if constexpr (is_vector<T>) {
    write_vector(out, value, field, before);
  } else if constexpr (is_string_map<T>) {
    write_map(out, value, field, before);
  } else if constexpr (FreeJson<T>) {
    append_free(out, value);
  } else {
    static_assert(DescribedStruct<T>, "store: no codec for this member type");
    write_struct(out, value, field, before);
  }
}

}  // namespace codec

// Throws Corrupt when the bytes are not a JSON object or a field does not fit its member.
template <class R>
R decode(std::string_view bytes, const Place& place) {
  JsonReader in(bytes);
  R record{};
  codec::read_struct(in, record, {place});
  in.finish();
  return record;
}

// The members, by their position in the description, whose JSON has changed.
template <class R>
using Changed = std::bitset<boost::mp11::mp_size<codec::Members<R>>::value>;

// `before` is what the record was read from (empty: it is new); its fields that R does not name are kept.
template <class R>
std::string encode(const R& record, const Place& place, std::string_view before = {}, Changed<R>* changed = nullptr) {
  std::string bytes;
  bytes.reserve(before.empty() ? 256 : before.size() + 32);
  codec::write_members(bytes, record, {place}, before,
                       [changed](std::size_t at, std::string_view stored, std::string_view written) {
                         if (changed) (*changed)[at] = stored != written;
                       });
  return bytes;
}

}  // namespace store
