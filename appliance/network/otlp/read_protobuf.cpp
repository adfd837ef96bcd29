// Field numbers are those of opentelemetry/proto/{collector/trace,trace,common,resource}/v1.
#include <cmath>

#include "appliance/foundation/crypto/random.h"
#include "appliance/network/otlp/protobuf.h"
#include "appliance/network/otlp/wire_span.h"
#include "web/json.h"

namespace otlp {

namespace json = boost::json;

namespace {

using protobuf::Field;
using protobuf::Message;
using protobuf::WireType;

// A reader of one message fails by clearing `is_valid` of the whole body.
class ProtobufReader {
 public:
  web::Result<std::vector<WireSpan>> read(std::string_view body) {
    each(body, [this](const Field& field) {
      if (field.is_message(1)) resource_spans(field.bytes);
    });
    if (is_full_) return web::invalid("The request must have at most 10,000 spans");
    if (!is_valid_) return web::invalid("The body is not an ExportTraceServiceRequest in protobuf");
    return std::move(spans_);
  }

 private:
  template <class Take>
  void each(std::string_view bytes, const Take& take) {
    Message message(bytes);
    while (const auto field = message.next()) take(*field);
    if (!message.is_valid()) is_valid_ = false;
  }

  void resource_spans(std::string_view bytes) {
    const auto first = spans_.size();
    std::string service;
    each(bytes, [&](const Field& field) {
      if (field.is_message(1)) service = service_of(field.bytes);
      if (field.is_message(2)) scope_spans(field.bytes);
    });
    for (auto at = first; at < spans_.size(); ++at) spans_[at].service = service;
  }

  std::string service_of(std::string_view resource) {
    json::object attributes;
    each(resource, [&](const Field& field) {
      if (field.is_message(1)) add_attribute(field.bytes, attributes, 0);
    });
    return web::string_member(attributes, "service.name");
  }

  void scope_spans(std::string_view bytes) {
    each(bytes, [this](const Field& field) {
      if (!field.is_message(2)) return;
      if (spans_.size() == max_spans)
        is_full_ = true;
      else
        spans_.push_back(span(field.bytes));
    });
  }

  WireSpan span(std::string_view bytes) {
    WireSpan span;
    each(bytes, [&](const Field& field) {
      if (field.is_message(1)) span.trace_id = crypto::hex(field.bytes);
      if (field.is_message(2)) span.span_id = crypto::hex(field.bytes);
      if (field.is_message(4)) span.parent_id = crypto::hex(field.bytes);
      if (field.is_message(5)) span.name = field.bytes;
      if (field.is(7, WireType::fixed64)) span.start = field.value;
      if (field.is(8, WireType::fixed64)) span.end = field.value;
      if (field.is_message(9)) add_attribute(field.bytes, span.attributes, 0);
      if (field.is_message(15)) status(field.bytes, span);
    });
    return span;
  }

  void status(std::string_view bytes, WireSpan& span) {
    each(bytes, [&](const Field& field) {
      if (field.is_message(2)) span.error = field.bytes;
      if (field.is(3, WireType::varint)) span.is_error = field.value == status_code_error;
    });
  }

  void add_attribute(std::string_view bytes, json::object& attributes, std::size_t depth) {
    std::string key;
    json::value content;
    each(bytes, [&](const Field& field) {
      if (field.is_message(1)) key = field.bytes;
      if (field.is_message(2)) content = value(field.bytes, depth + 1);
    });
    if (!key.empty() && attributes.size() < max_attributes) attributes[key] = std::move(content);
  }

  json::value value(std::string_view bytes, std::size_t depth) {
    json::value found;
    if (depth > deepest_value) return found;
    each(bytes, [&](const Field& field) {
      if (field.is_message(1)) found = json::string(field.bytes);
      if (field.is(2, WireType::varint)) found = field.value != 0;
      if (field.is(3, WireType::varint)) found = static_cast<std::int64_t>(field.value);
      if (field.is(4, WireType::fixed64)) {
        const auto number = protobuf::as_double(field.value);
        if (std::isfinite(number)) found = number;
      }
      if (field.is_message(5)) found = array(field.bytes, depth);
      if (field.is_message(6)) found = object(field.bytes, depth);
      if (field.is_message(7)) found = crypto::hex(field.bytes);
    });
    return found;
  }

  json::array array(std::string_view bytes, std::size_t depth) {
    json::array values;
    each(bytes, [&](const Field& field) {
      if (field.is_message(1) && values.size() < max_attributes) values.push_back(value(field.bytes, depth + 1));
    });
    return values;
  }

  json::object object(std::string_view bytes, std::size_t depth) {
    json::object members;
    each(bytes, [&](const Field& field) {
      if (field.is_message(1)) add_attribute(field.bytes, members, depth + 1);
    });
    return members;
  }

  std::vector<WireSpan> spans_;
  bool is_valid_ = true, is_full_ = false;
};

}  // namespace

web::Result<std::vector<WireSpan>> read_protobuf(std::string_view body) { return ProtobufReader().read(body); }

}  // namespace otlp
