#include "appliance/agent/skills/yaml.h"

#include <yaml.h>

#include <string>

#include "web/utf8.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_yaml_levels = 8, max_yaml_values = 1'000;

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }

  yaml_event_t* get() { return &event_; }
  yaml_event_type_t type() const { return event_.type; }
  std::size_t line() const { return event_.start_mark.line + 1; }
  const auto& scalar() const { return event_.data.scalar; }
  bool has_anchor_or_tag() const {
    switch (event_.type) {
      case YAML_SCALAR_EVENT:
        return event_.data.scalar.anchor || event_.data.scalar.tag;
      case YAML_SEQUENCE_START_EVENT:
        return event_.data.sequence_start.anchor || event_.data.sequence_start.tag;
      case YAML_MAPPING_START_EVENT:
        return event_.data.mapping_start.anchor || event_.data.mapping_start.tag;
      default:
        return false;
    }
  }

 private:
  yaml_event_t event_{};
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view what) : what_(what) {
    if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { yaml_parser_delete(&parser_); }

  web::Result<json::value> document() {
    for (const auto expected : {YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT}) {
      Event event;
      if (auto read = next(event); !read) return read.error();
      if (event.type() != expected) return wrong(event.line(), "has no value");
    }
    Event first;
    if (auto read = next(first); !read) return read.error();
    auto value = value_of(first, 1);
    if (!value) return value;
    for (const auto expected : {YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT}) {
      Event event;
      if (auto read = next(event); !read) return read.error();
      if (event.type() != expected) return wrong(event.line(), "has more than one document");
    }
    return value;
  }

 private:
  web::Error wrong(std::size_t line, std::string_view why) const {
    return web::invalid(std::string(what_) + ", line " + std::to_string(line) + ": " + std::string(why));
  }

  web::Result<void> next(Event& event) {
    if (yaml_parser_parse(&parser_, event.get())) return {};
    return wrong(parser_.problem_mark.line + 1, parser_.problem ? parser_.problem : "is not YAML");
  }

  web::Result<json::value> value_of(const Event& event, std::size_t level) {
    if (++values_ > max_yaml_values) return wrong(event.line(), "has too many values");
    if (level > max_yaml_levels) return wrong(event.line(), "is nested too deeply");
    if (event.has_anchor_or_tag()) return wrong(event.line(), "anchors and tags are not supported");
    switch (event.type()) {
      case YAML_SCALAR_EVENT:
        return scalar_of(event);
      case YAML_SEQUENCE_START_EVENT:
        return list(level);
      case YAML_MAPPING_START_EVENT:
        return mapping(level);
      default:
        return wrong(event.line(), "aliases are not supported");
    }
  }

  static json::value scalar_of(const Event& event) {
    const auto& scalar = event.scalar();
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (scalar.style != YAML_PLAIN_SCALAR_STYLE) return json::value(text);
    if (text == "true" || text == "false") return json::value(text == "true");
    if (text.empty() || text == "~" || text == "null") return nullptr;
    return json::value(text);
  }

  web::Result<json::value> list(std::size_t level) {
    json::array items;
    for (;;) {
      Event event;
      if (auto read = next(event); !read) return read.error();
      if (event.type() == YAML_SEQUENCE_END_EVENT) return json::value(std::move(items));
      auto item = value_of(event, level + 1);
      if (!item) return item;
      items.push_back(std::move(*item));
    }
  }

  web::Result<json::value> mapping(std::size_t level) {
    json::object members;
    for (;;) {
      Event name;
      if (auto read = next(name); !read) return read.error();
      if (name.type() == YAML_MAPPING_END_EVENT) return json::value(std::move(members));
      if (name.type() != YAML_SCALAR_EVENT) return wrong(name.line(), "a key must be a text");
      const std::string key(reinterpret_cast<const char*>(name.scalar().value), name.scalar().length);
      if (members.contains(key)) return wrong(name.line(), "the key " + key + " occurs twice");
      Event event;
      if (auto read = next(event); !read) return read.error();
      auto value = value_of(event, level + 1);
      if (!value) return value;
      members[key] = std::move(*value);
    }
  }

  const std::string_view what_;
  std::size_t values_ = 0;
  yaml_parser_t parser_{};
};

}  // namespace

web::Result<json::value> parse_yaml(std::string_view text, std::string_view what) {
  if (!web::is_utf8(text)) return web::invalid(std::string(what) + " must be UTF-8");
  return Reader(text, what).document();
}

}  // namespace agent_process
