// json_schema_of of generate_wire.h.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>

#include "appliance/models/google_api/generate_reading.h"
#include "appliance/models/google_api/generate_wire.h"
#include "web/ascii.h"
#include "web/json.h"

namespace models::generate {

namespace json = boost::json;

namespace {

// Google writes 64-bit numbers as text.
constexpr std::array<std::string_view, 6> counts{"minItems",  "maxItems",      "minLength",
                                                 "maxLength", "minProperties", "maxProperties"};
// JSON Schema has other words for them, or none.
constexpr std::array<std::string_view, 3> dropped{"nullable", "propertyOrdering", "example"};

json::value count_of(const json::value& value) {
  const auto text = web::string_or_empty(&value);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? json::value(number) : value;
}

json::value schema_or(const json::value& value) {
  const auto* schema = value.if_object();
  return schema ? json::value(json_schema_of(*schema)) : value;
}

json::value schemas_in(const json::value& value) {
  if (const auto* list = value.if_array()) {
    json::array schemas;
    for (const auto& each : *list) schemas.push_back(schema_or(each));
    return schemas;
  }
  const auto* named = value.if_object();
  if (!named) return value;
  json::object schemas;
  for (const auto& [name, each] : *named) schemas[name] = schema_or(each);
  return schemas;
}

// STRING, and a list of such names.
json::value types_of(const json::value& value) {
  if (const auto* name = value.if_string()) return json::value(web::lower_case(std::string_view(*name)));
  const auto* list = value.if_array();
  if (!list) return value;
  json::array names;
  for (const auto& each : *list) names.push_back(types_of(each));
  return names;
}

// `nullable` adds the type null.
void allow_null(json::object& schema) {
  if (auto* type = schema.if_contains("type")) {
    if (auto* list = type->if_array()) {
      if (std::ranges::find(*list, json::value("null")) == list->end()) list->emplace_back("null");
    } else {
      json::array types;
      types.push_back(*type);
      types.emplace_back("null");
      schema["type"] = std::move(types);
    }
  } else if (auto* alternatives = schema.if_contains("anyOf"); alternatives && alternatives->is_array()) {
    alternatives->get_array().push_back(json::object{{"type", "null"}});
  }
  if (auto* values = schema.if_contains("enum"); values && values->is_array())
    values->get_array().emplace_back(nullptr);
}

}  // namespace

json::object json_schema_of(const json::object& schema) {
  json::object converted;
  for (const auto& [given_name, value] : schema) {
    const auto name = camel_case(given_name);
    if (std::ranges::count(dropped, name) > 0) continue;
    const auto word = web::string_or_empty(&value);
    if (name == "type") {
      if (word != "TYPE_UNSPECIFIED") converted["type"] = types_of(value);
    } else if (name == "format" && word == "enum") {
      continue;
    } else if (name == "properties" || name == "anyOf" || name == "prefixItems" || name == "$defs" || name == "defs") {
      converted[name == "defs" ? "$defs" : name] = schemas_in(value);
    } else if (name == "items" || name == "additionalProperties") {
      converted[name] = schema_or(value);
    } else if (name == "ref") {
      converted["$ref"] = value;
    } else {
      converted[name] = std::ranges::count(counts, name) > 0 ? count_of(value) : value;
    }
  }
  const auto* nullable = schema.if_contains("nullable");
  if (nullable && *nullable == true) allow_null(converted);
  return converted;
}

}  // namespace models::generate
