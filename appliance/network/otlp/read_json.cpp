// OTLP/JSON: names in lowerCamelCase, ids in hex, 64-bit numbers as numbers or strings, unknown members ignored.
#include <charconv>
#include <cmath>

#include "appliance/network/otlp/wire_span.h"
#include "web/ascii.h"
#include "web/routes/fields.h"

namespace otlp {

namespace json = boost::json;

namespace {

const json::value* member(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found && !found->is_null() ? found : nullptr;
}

// An absent member is as good as an empty one; one of another type is an error, which is remembered.
class JsonReader {
 public:
  web::Result<std::vector<WireSpan>> read(const json::value& body) {
    const auto* request = body.if_object();
    if (!request) return web::invalid("The body must be a JSON object");
    for (const auto* resource : objects(*request, "resourceSpans")) resource_spans(*resource);
    if (!problem_.empty()) return web::invalid(problem_);
    return std::move(spans_);
  }

 private:
  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  std::vector<const json::object*> objects(const json::object& object, std::string_view name) {
    std::vector<const json::object*> found;
    const auto* value = member(object, name);
    if (!value) return found;
    if (!value->is_array()) {
      fail(std::string(name) + " must be an array");
      return found;
    }
    for (const auto& each : value->get_array()) {
      if (const auto* one = each.if_object())
        found.push_back(one);
      else
        fail(std::string(name) + " must be an array of objects");
    }
    return found;
  }

  std::string text(const json::object& object, std::string_view name) {
    const auto* value = member(object, name);
    if (!value) return {};
    if (const auto* string = value->if_string()) return std::string(*string);
    fail(std::string(name) + " must be a string");
    return {};
  }

  // Ids may be in upper case.
  std::string id(const json::object& object, std::string_view name) { return web::lower_case(text(object, name)); }

  template <class Number>
  std::optional<Number> number_of(const json::value& value) {
    if (const auto* string = value.if_string()) {
      Number number = 0;
      const auto* end = string->data() + string->size();
      const auto read = std::from_chars(string->data(), end, number);
      if (read.ec == std::errc() && read.ptr == end) return number;
      return std::nullopt;
    }
    boost::system::error_code failed;
    const auto number = value.to_number<Number>(failed);
    return failed ? std::nullopt : std::optional(number);
  }

  std::uint64_t time(const json::object& object, std::string_view name) {
    const auto* value = member(object, name);
    if (!value) return 0;
    const auto number = number_of<std::uint64_t>(*value);
    if (!number) fail(std::string(name) + " must be a whole number of nanoseconds");
    return number.value_or(0);
  }

  void resource_spans(const json::object& object) {
    std::string service;
    if (const auto* resource = member(object, "resource"); resource && resource->is_object()) {
      const auto attributes = attributes_of(resource->get_object(), 0);
      if (const auto* name = attributes.if_contains("service.name"); name && name->is_string())
        service = name->get_string();
    }
    for (const auto* scope : objects(object, "scopeSpans"))
      for (const auto* one : objects(*scope, "spans")) {
        if (spans_.size() == max_spans) return fail("The request must have at most 10,000 spans");
        spans_.push_back(span(*one));
        spans_.back().service = service;
      }
  }

  WireSpan span(const json::object& object) {
    WireSpan span{.trace_id = id(object, "traceId"),
                  .span_id = id(object, "spanId"),
                  .parent_id = id(object, "parentSpanId"),
                  .name = text(object, "name"),
                  .start = time(object, "startTimeUnixNano"),
                  .end = time(object, "endTimeUnixNano"),
                  .error = {},
                  .attributes = attributes_of(object, 0),
                  .service = {}};
    if (const auto* status = member(object, "status"); status && status->is_object()) {
      const auto* code = member(status->get_object(), "code");
      span.is_error = code && (*code == status_code_error || *code == "STATUS_CODE_ERROR");
      span.error = text(status->get_object(), "message");
    }
    return span;
  }

  json::object attributes_of(const json::object& object, std::size_t depth, std::string_view name = "attributes") {
    json::object attributes;
    for (const auto* one : objects(object, name)) {
      if (attributes.size() == max_attributes) break;
      const auto key = text(*one, "key");
      const auto* content = member(*one, "value");
      if (!key.empty() && content) attributes[key] = value(*content, depth + 1);
    }
    return attributes;
  }

  json::value value(const json::value& wire, std::size_t depth) {
    const auto* object = wire.if_object();
    if (!object || object->empty() || depth > deepest_value) return {};
    const auto& [kind, content] = *object->begin();
    if (kind == "stringValue" || kind == "bytesValue") return content.is_string() ? content : json::value();
    if (kind == "boolValue") return content.is_bool() ? content : json::value();
    if (kind == "intValue") {
      const auto number = number_of<std::int64_t>(content);
      return number ? json::value(*number) : json::value();
    }
    if (kind == "doubleValue") return content.is_number() ? content : json::value();
    if (kind == "arrayValue" && content.is_object()) return array(content.get_object(), depth);
    if (kind == "kvlistValue" && content.is_object()) return attributes_of(content.get_object(), depth, "values");
    return {};
  }

  json::array array(const json::object& object, std::size_t depth) {
    json::array values;
    for (const auto* one : objects(object, "values"))
      if (values.size() < max_attributes) values.push_back(value(*one, depth + 1));
    return values;
  }

  std::vector<WireSpan> spans_;
  std::string problem_;
};

}  // namespace

web::Result<std::vector<WireSpan>> read_json(std::string_view body) {
  const auto value = web::parse_json(body);
  if (!value) return value.error();
  return JsonReader().read(*value);
}

}  // namespace otlp
