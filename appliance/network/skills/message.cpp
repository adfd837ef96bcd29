// The message of a use.
#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "appliance/network/skills/runs.h"
#include "web/blank.h"

namespace skills {

namespace json = boost::json;

namespace {

constexpr std::size_t max_input_bytes = 16 * 1024, max_message_bytes = 31'000;

std::string shortest(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

web::Result<std::string> read_input(std::string_view name, const json::value& value) {
  const auto field = "inputs." + std::string(name);
  if (value.is_object() || value.is_array() || value.is_null())
    return web::invalid(field + " must be a text, a number or a boolean");
  auto text = value.is_string()   ? std::string(value.get_string())
              : value.is_double() ? shortest(value.get_double())
                                  : json::serialize(value);
  if (text.size() > max_input_bytes) return web::invalid(field + " must be at most 16 KB");
  return text;
}

std::string names_of(const Skill& skill) {
  std::string names;
  for (const auto& input : skill.inputs) names.append(names.empty() ? "" : ", ").append(input.name);
  return names.empty() ? "It has none." : "It has: " + names;
}

}  // namespace

web::Result<std::string> message_of(const Skill& skill, const Use& use) {
  for (const auto& [name, value] : use.inputs) {
    const std::string_view wanted = name;
    const bool is_known = std::ranges::any_of(
        skill.inputs, [wanted](const auto& input) { return std::string_view(input.name) == wanted; });
    if (!is_known)
      return web::invalid("inputs." + std::string(name) + " is not an input of this skill. " + names_of(skill));
  }
  auto message = "Use your skill \"" + skill.name + "\".";
  if (!use.prompt.empty()) message += "\n\n" + use.prompt;
  std::string inputs;
  for (const auto& input : skill.inputs) {
    const auto* value = use.inputs.if_contains(input.name);
    if (!value && input.required.value_or(false)) return web::invalid("inputs." + input.name + " is required");
    if (!value) continue;
    const auto text = read_input(input.name, *value);
    if (!text) return text.error();
    if (web::is_blank(*text) && input.required.value_or(false))
      return web::invalid("inputs." + input.name + " must not be blank");
    inputs += "\n" + input.name + ": " + *text;
  }
  if (!inputs.empty()) message += "\n" + inputs;
  if (message.size() > max_message_bytes) return web::invalid("inputs and prompt must be at most 30 KB together");
  return message;
}

}  // namespace skills
