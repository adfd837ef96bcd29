#include "appliance/identity/scim/filter.h"

#include <algorithm>
#include <boost/json.hpp>
#include <vector>

#include "appliance/identity/scim/protocol.h"
#include "web/ascii.h"
#include "web/routes/fields.h"

namespace scim {

namespace json = boost::json;

struct Filter::Node {
  enum class Kind { all_of, any_of, none_of, elements, present, compare };
  Kind kind = Kind::compare;
  std::vector<std::shared_ptr<const Node>> parts;  // of all_of, any_of, none_of; of elements: what one of them matches
  AttributePath path;
  std::string comparison;  // eq, ne, co, sw, ew, gt, ge, lt or le
  json::value operand;
};

namespace {

using Node = Filter::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr std::size_t max_length = 4'000, max_depth = 60;
constexpr std::string_view comparisons[] = {"eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"};

NodePtr node_of(Node::Kind kind, std::vector<NodePtr> parts, AttributePath path = {}) {
  return std::make_shared<const Node>(
      Node{.kind = kind, .parts = std::move(parts), .path = std::move(path), .comparison = {}, .operand = {}});
}

// By recursive descent: or binds less than and, and less than not.
class FilterReader {
 public:
  explicit FilterReader(std::string_view text) : rest_(text) {}

  NodePtr whole() {
    auto node = any_of(0);
    skip_spaces();
    return node && rest_.empty() ? node : nullptr;
  }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  bool take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // A word in any case, followed by something else.
  bool take_word(std::string_view word) {
    skip_spaces();
    if (!web::starts_ignoring_case(rest_, word)) return false;
    const auto after = rest_.substr(word.size());
    if (!after.empty() && web::is_alphanumeric(after.front())) return false;
    rest_ = after;
    return true;
  }
  std::string_view take_until(std::string_view ends) {
    skip_spaces();
    const auto found = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(found.size());
    return found;
  }

  NodePtr any_of(std::size_t depth) { return joined(depth, Node::Kind::any_of, "or", &FilterReader::all_of); }
  NodePtr all_of(std::size_t depth) { return joined(depth, Node::Kind::all_of, "and", &FilterReader::one); }

  NodePtr joined(std::size_t depth, Node::Kind kind, std::string_view word,
                 NodePtr (FilterReader::*part)(std::size_t)) {
    if (depth > max_depth) return nullptr;
    std::vector<NodePtr> parts;
    do {
      parts.push_back((this->*part)(depth + 1));
      if (!parts.back()) return nullptr;
    } while (take_word(word));
    if (parts.size() == 1) return parts.front();
    return node_of(kind, std::move(parts));
  }

  NodePtr one(std::size_t depth) {
    const auto before = rest_;
    if (take_word("not")) {
      if (auto inner = take('(') ? inside(depth, ')') : nullptr)
        return node_of(Node::Kind::none_of, {std::move(inner)});
      rest_ = before;
    }
    if (take('(')) return inside(depth, ')');
    auto path = AttributePath::parse(take_until(" \t[]()\""));
    if (!path) return nullptr;
    if (rest_.starts_with('[')) {
      take('[');
      auto inner = inside(depth, ']');
      return inner ? node_of(Node::Kind::elements, {std::move(inner)}, std::move(*path)) : nullptr;
    }
    if (take_word("pr")) return node_of(Node::Kind::present, {}, std::move(*path));
    return comparison(std::move(*path));
  }

  NodePtr inside(std::size_t depth, char end) {
    auto inner = any_of(depth + 1);
    return inner && take(end) ? inner : nullptr;
  }

  NodePtr comparison(AttributePath path) {
    for (const auto name : comparisons) {
      if (!take_word(name)) continue;
      auto operand = take_value();
      if (!operand) return nullptr;
      return std::make_shared<const Node>(Node{.kind = Node::Kind::compare,
                                               .parts = {},
                                               .path = std::move(path),
                                               .comparison = std::string(name),
                                               .operand = std::move(*operand)});
    }
    return nullptr;
  }

  // A string, number, true, false or null of JSON.
  std::optional<json::value> take_value() {
    skip_spaces();
    std::size_t length = rest_.find_first_of(" \t)]");
    if (rest_.starts_with('"')) {
      length = 1;
      while (length < rest_.size() && rest_[length] != '"') length += rest_[length] == '\\' ? 2 : 1;
      ++length;
    }
    const auto text = rest_.substr(0, length);
    rest_.remove_prefix(text.size());
    auto value = web::parse_json(text, "filter");
    if (!value || value->is_object() || value->is_array()) return std::nullopt;
    return std::move(*value);
  }

  std::string_view rest_;
};

// Whether the texts of this attribute differ when they differ in case alone.
bool is_exact(const AttributePath& path) {
  return path.attribute == "id" || path.attribute == "externalid" || path.attribute == "meta";
}

std::string text_to_compare(const json::value& value, bool is_exact_text) {
  const std::string_view text(value.get_string().data(), value.get_string().size());
  return is_exact_text ? std::string(text) : web::lower_case(text);
}

template <class T>
bool is_ordered(std::string_view comparison, const T& a, const T& b) {
  if (comparison == "eq") return a == b;
  if (comparison == "ne") return a != b;
  if (comparison == "gt") return a > b;
  if (comparison == "ge") return a >= b;
  if (comparison == "lt") return a < b;
  return comparison == "le" && a <= b;
}

bool compares(const Node& node, const json::value& value) {
  const auto& comparison = node.comparison;
  if (value.is_string() && node.operand.is_string()) {
    const auto a = text_to_compare(value, is_exact(node.path)), b = text_to_compare(node.operand, is_exact(node.path));
    if (comparison == "co") return a.find(b) != std::string::npos;
    if (comparison == "sw") return a.starts_with(b);
    if (comparison == "ew") return a.ends_with(b);
    return is_ordered(comparison, a, b);
  }
  if (value.is_number() && node.operand.is_number())
    return is_ordered(comparison, value.to_number<double>(), node.operand.to_number<double>());
  if (value.is_bool() && node.operand.is_bool()) {
    const bool is_same = value.get_bool() == node.operand.get_bool();
    return comparison == "eq" ? is_same : comparison == "ne" && !is_same;
  }
  return comparison == "ne";
}

// The values at the end of a path. Of a list, those of all elements; of complex ones without a name of a part, `value`.
std::vector<const json::value*> values_at(const json::value& resource, const AttributePath& path) {
  std::vector<const json::value*> found;
  const auto* object = resource.if_object();
  const auto* value = object ? find_attribute(*object, path.attribute) : nullptr;
  if (!value) return found;
  const auto add = [&](const json::value& one) {
    const auto* complex = one.if_object();
    if (!complex) {
      if (path.sub.empty()) found.push_back(&one);
      return;
    }
    const auto* part = find_attribute(*complex, path.sub.empty() ? "value" : path.sub);
    if (!part && path.sub.empty()) part = &one;  // for pr
    if (part) found.push_back(part);
  };
  if (const auto* list = value->if_array())
    for (const auto& one : *list) add(one);
  else
    add(*value);
  return found;
}

bool is_present(const json::value& value) {
  if (const auto* text = value.if_string()) return !text->empty();
  if (const auto* list = value.if_array()) return !list->empty();
  if (const auto* object = value.if_object()) return !object->empty();
  return !value.is_null();
}

bool node_matches(const Node& node, const json::value& resource) {
  const auto matching = [&](const NodePtr& part) { return node_matches(*part, resource); };
  switch (node.kind) {
    case Node::Kind::all_of:
      return std::ranges::all_of(node.parts, matching);
    case Node::Kind::any_of:
      return std::ranges::any_of(node.parts, matching);
    case Node::Kind::none_of:
      return std::ranges::none_of(node.parts, matching);
    case Node::Kind::elements: {
      const auto* object = resource.if_object();
      const auto* value = object ? find_attribute(*object, node.path.attribute) : nullptr;
      const auto* list = value ? value->if_array() : nullptr;
      if (!list) return value && node_matches(*node.parts.front(), *value);
      return std::ranges::any_of(*list, [&](const json::value& one) { return node_matches(*node.parts.front(), one); });
    }
    case Node::Kind::present:
      return std::ranges::any_of(values_at(resource, node.path), [](const auto* value) { return is_present(*value); });
    case Node::Kind::compare: {
      const auto values = values_at(resource, node.path);
      if (values.empty())
        return node.comparison == "eq" ? node.operand.is_null() : node.comparison == "ne" && !node.operand.is_null();
      return std::ranges::any_of(values, [&](const auto* value) { return compares(node, *value); });
    }
  }
  return false;
}

std::optional<std::string> required_by(const Node& node, std::string_view attribute) {
  if (node.kind == Node::Kind::all_of)
    for (const auto& part : node.parts)
      if (auto found = required_by(*part, attribute)) return found;
  if (node.kind != Node::Kind::compare || node.comparison != "eq" || !node.path.sub.empty()) return std::nullopt;
  if (!web::equal_ignoring_case(node.path.attribute, attribute) || !node.operand.is_string()) return std::nullopt;
  return text_to_compare(node.operand, true);
}

}  // namespace

web::Result<Filter> Filter::parse(std::string_view text) {
  auto root = text.size() <= max_length ? FilterReader(text).whole() : nullptr;
  if (!root) return invalid_filter("filter is not a filter of SCIM, such as userName eq \"ada@example.org\"");
  return Filter(std::move(root));
}

bool Filter::matches(const json::value& resource) const { return node_matches(*root_, resource); }

std::optional<std::string> Filter::required(std::string_view attribute) const { return required_by(*root_, attribute); }

}  // namespace scim
