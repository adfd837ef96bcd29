// Reading of Google's form, whose members may be named in camelCase or in snake_case.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/models/client_wire.h"
#include "web/ascii.h"
#include "web/json.h"

namespace models::generate {

inline std::string camel_case(std::string_view name) {
  constexpr char case_bit = 0x20;
  std::string camel;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_joint = name[i] == '_' && i > 0 && i + 1 < name.size() && web::is_letter(name[i + 1]);
    if (!is_joint) {
      camel += name[i];
      continue;
    }
    ++i;
    camel += static_cast<char>(name[i] & ~case_bit);
  }
  return camel;
}

// The member of this name in camelCase, however it is spelled; null when it is absent or JSON null.
inline const boost::json::value* member(const boost::json::object& object, std::string_view name) {
  if (const auto* value = given(object, name)) return value;
  std::string snake;
  for (const char c : name) {
    const char small = web::to_lower(c);
    if (small != c) snake += '_';
    snake += small;
  }
  return snake.size() == name.size() ? nullptr : given(object, snake);
}

inline const boost::json::object* object_of(const boost::json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  return value ? value->if_object() : nullptr;
}

inline std::string text_of(const boost::json::object& object, std::string_view name) {
  return web::string_or_empty(member(object, name));
}

// The messages of systemInstruction and contents.
std::optional<web::Error> read_contents(const boost::json::object& body, ChatRequest&);

}  // namespace models::generate
