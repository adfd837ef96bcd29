#include "web/server/router.h"

#include <optional>
#include <stdexcept>

namespace web {
namespace {

constexpr std::size_t methods = 7;

std::size_t index_of(Method method) { return static_cast<std::size_t>(method); }

// Removes the first segment from a path that begins with '/'.
std::string_view take_segment(std::string_view& rest) {
  rest.remove_prefix(1);
  const auto end = std::min(rest.find('/'), rest.size());
  const auto segment = rest.substr(0, end);
  rest.remove_prefix(end);
  return segment;
}

bool takes_rest(std::string_view segment) { return segment.starts_with(':') && segment.ends_with('+'); }

}  // namespace

struct Router::Node {
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> literals;
  std::unique_ptr<Node> parameter, rest;
  std::array<std::optional<std::size_t>, methods> rows;
  std::string allow;  // empty: no row matches here

  Node& literal(std::string_view segment) {
    for (auto& [name, node] : literals)
      if (name == segment) return *node;
    return *literals.emplace_back(segment, std::make_unique<Node>()).second;
  }
  void describe_methods() {
    for (const auto method : {Method::get, Method::post, Method::put, Method::patch, Method::del})
      if (rows[index_of(method)])
        (allow += allow.empty() ? "" : ", ") += method == Method::get ? "GET, HEAD" : to_string(method);
    if (!allow.empty()) allow += ", OPTIONS";
    for (auto& [name, node] : literals) node->describe_methods();
    if (parameter) parameter->describe_methods();
    if (rest) rest->describe_methods();
  }
};

Router::Router(const std::vector<Route>& table) : table_(table), root_(std::make_unique<Node>()) {
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto& route = table[row];
    const auto bad = [&](const char* why) {
      return std::logic_error("route " + std::string(to_string(route.method)) + " " + route.path + ": " + why);
    };
    if (!route.path.starts_with('/')) throw bad("the pattern must begin with '/'");
    if (!route.endpoint.handle) throw bad("there is no handler");
    if (!route.guard.admit) throw bad("its guard has no admit function");
    Node* node = root_.get();
    for (std::string_view rest = route.path; !rest.empty();) {
      const auto segment = take_segment(rest);
      if (segment.empty() && route.path != "/") throw bad("a segment is empty");
      if (segment == ":" || segment == ":+") throw bad("a parameter has no name");
      if (takes_rest(segment)) {
        if (!rest.empty()) throw bad("something stands behind what takes all that is left");
        deep_paths_.push_back(route.path.substr(0, route.path.size() - segment.size()));
        if (deep_paths_.back().find(':') != std::string::npos)
          throw bad("what takes all that is left follows a parameter");
        if (!node->rest) node->rest = std::make_unique<Node>();
        node = node->rest.get();
      } else if (segment.starts_with(':')) {
        if (!node->parameter) node->parameter = std::make_unique<Node>();
        node = node->parameter.get();
      } else {
        node = &node->literal(segment);
      }
    }
    auto& slot = node->rows[index_of(route.method)];
    if (slot) throw bad("stands twice in the table");
    slot = row;
  }
  root_->describe_methods();
}

Router::~Router() = default;

const Router::Node* Router::find(const Node& node, std::string_view rest) const {
  if (rest.empty()) return node.allow.empty() ? nullptr : &node;
  const auto segment = take_segment(rest);
  for (const auto& [name, child] : node.literals)
    if (name == segment)
      if (const auto* found = find(*child, rest)) return found;
  if (node.parameter && !segment.empty())
    if (const auto* found = find(*node.parameter, rest)) return found;
  return node.rest && !(segment.empty() && rest.empty()) ? node.rest.get() : nullptr;
}

Router::Match Router::match(Method method, std::string_view path,
                            std::vector<std::pair<std::string_view, std::string>>& params) const {
  const Node* node = path.starts_with('/') ? find(*root_, path) : nullptr;
  if (!node) {
    if (path.size() < 2 || !path.ends_with('/') || path.ends_with("//")) return {};
    const auto without_slash = match(method, path.substr(0, path.size() - 1), params);
    const bool is_taken = without_slash.kind == Kind::found && table_[without_slash.row].endpoint.takes_last_slash;
    return is_taken ? without_slash : Match{};
  }
  const auto row = node->rows[index_of(method == Method::head ? Method::get : method)];
  if (!row) return {.kind = method == Method::options ? Kind::options : Kind::wrong_method, .allow = node->allow};
  params.clear();
  for (std::string_view pattern = table_[*row].path, rest = path; !pattern.empty();) {
    const auto name = take_segment(pattern);
    if (takes_rest(name)) {
      params.emplace_back(name.substr(1, name.size() - 2), rest.substr(1));
      break;
    }
    const auto value = take_segment(rest);
    if (name.starts_with(':')) params.emplace_back(name.substr(1), value);
  }
  return {.kind = Kind::found, .row = *row};
}

}  // namespace web
