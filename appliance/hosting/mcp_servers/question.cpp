#include "appliance/hosting/mcp_servers/question.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "web/json.h"
#include "web/utf8.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_text_bytes = 10'000;

// The values that a schema admits: enum, or const of oneOf and anyOf. Nothing: it does not name them.
std::optional<json::array> choices_of(const json::object& schema) {
  if (const auto* values = web::array_member(schema, "enum")) return *values;
  for (const char* member : {"oneOf", "anyOf"})
    if (const auto* options = web::array_member(schema, member)) {
      json::array values;
      for (const auto& option : *options)
        if (const auto* object = option.if_object(); object && object->contains("const"))
          values.push_back(object->at("const"));
      return values;
    }
  return std::nullopt;
}

std::optional<double> number_member(const json::object& schema, std::string_view name) {
  const auto* value = schema.if_contains(name);
  if (!value || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

web::Result<void> check_bounds(const json::object& schema, double value, const char* least, const char* most,
                               const std::string& field, const char* unit) {
  const auto minimum = number_member(schema, least), maximum = number_member(schema, most);
  if (minimum && value < *minimum)
    return web::invalid(field + " must be at least " + json::serialize(json::value(schema.at(least))) + unit);
  if (maximum && value > *maximum)
    return web::invalid(field + " must be at most " + json::serialize(json::value(schema.at(most))) + unit);
  return {};
}

web::Result<void> check_choice(const json::array& choices, const json::value& value, const std::string& field) {
  if (std::ranges::find(choices, value) != choices.end()) return {};
  return web::invalid(field + " must be one of: " + json::serialize(choices));
}

web::Result<void> check_value(const json::object& schema, const json::value& value, const std::string& field) {
  const auto type = web::string_member(schema, "type");
  if (type == "boolean") {
    if (!value.is_bool()) return web::invalid(field + " must be true or false");
    return {};
  }
  if (type == "number" || type == "integer") {
    const bool is_whole = value.is_int64() || value.is_uint64();
    if (!value.is_number() || (type == "integer" && !is_whole))
      return web::invalid(field + (type == "integer" ? " must be a whole number" : " must be a number"));
    return check_bounds(schema, value.to_number<double>(), "minimum", "maximum", field, "");
  }
  if (type == "array") {
    const auto* list = value.if_array();
    if (!list) return web::invalid(field + " must be a list");
    const auto* items = web::object_member(schema, "items");
    const auto choices = items ? choices_of(*items) : std::nullopt;
    for (const auto& item : *list) {
      if (!item.is_string() || item.get_string().size() > max_text_bytes)
        return web::invalid(field + " must be a list of texts");
      if (choices)
        if (const auto good = check_choice(*choices, item, field); !good) return good.error();
    }
    return check_bounds(schema, double(list->size()), "minItems", "maxItems", field, " values");
  }
  const auto* text = value.if_string();
  if (!text || text->size() > max_text_bytes) return web::invalid(field + " must be text of at most 10,000 bytes");
  if (const auto choices = choices_of(schema))
    if (const auto good = check_choice(*choices, value, field); !good) return good.error();
  return check_bounds(schema, double(web::count_characters(*text)), "minLength", "maxLength", field, " characters");
}

}  // namespace

web::Result<void> check_content(const json::object& schema, const json::object& content) {
  const json::object none;
  const auto* named = web::object_member(schema, "properties");
  const auto& properties = named ? *named : none;
  for (const auto& [name, value] : content) {
    const auto field = "content." + std::string(name);
    const auto* property = web::object_member(properties, name);
    if (!property) return web::invalid(field + " is not a field of the question");
    if (const auto good = check_value(*property, value, field); !good) return good.error();
  }
  if (const auto* required = web::array_member(schema, "required"))
    for (const auto& name : *required)
      if (name.is_string() && !content.contains(name.get_string()))
        return web::invalid("content." + std::string(name.get_string()) + " is required");
  return {};
}

}  // namespace mcp_servers
