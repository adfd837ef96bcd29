#include "appliance/identity/scim/patch.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "appliance/identity/scim/filter.h"
#include "appliance/identity/scim/protocol.h"
#include "web/ascii.h"
#include "web/json.h"

namespace scim {

namespace {

namespace json = boost::json;

constexpr std::size_t max_operations = 1'000;

enum class Operation { add, replace, remove };

std::optional<Operation> operation_named(std::string_view name) {
  if (web::equal_ignoring_case(name, "add")) return Operation::add;
  if (web::equal_ignoring_case(name, "replace")) return Operation::replace;
  if (web::equal_ignoring_case(name, "remove")) return Operation::remove;
  return std::nullopt;
}

// attribute, attribute.sub, attribute[filter] or attribute[filter].sub
struct Target {
  AttributePath path;
  std::string filter_text;
  std::optional<Filter> filter;
};

web::Result<Target> parse_target(std::string_view text) {
  const auto not_a_path = [&] {
    return invalid_path("path is not a path of SCIM: " + std::string(text.substr(0, 200)));
  };
  Target target;
  const auto open = text.find('['), close = text.rfind(']');
  auto path = AttributePath::parse(text.substr(0, open));
  if (!path) return not_a_path();
  target.path = std::move(*path);
  if (open == std::string_view::npos) return target;
  if (close == std::string_view::npos || close < open || !target.path.sub.empty()) return not_a_path();
  target.filter_text = text.substr(open + 1, close - open - 1);
  auto filter = Filter::parse(target.filter_text);
  if (!filter) return not_a_path();
  target.filter.emplace(std::move(*filter));
  const auto rest = text.substr(close + 1);
  if (rest.empty()) return target;
  const auto sub = rest.starts_with('.') ? AttributePath::parse(rest.substr(1)) : std::nullopt;
  if (!sub || !sub->sub.empty()) return not_a_path();
  target.path.sub = sub->attribute;
  return target;
}

// The name as its schema writes it, in place of the one that the client has written; nothing for others.
std::optional<std::string_view> known_name(std::initializer_list<std::string_view> names, std::string_view name) {
  const auto found = std::ranges::find_if(names, [&](auto known) { return web::equal_ignoring_case(known, name); });
  return found == names.end() ? std::nullopt : std::optional(*found);
}

void put(json::object& object, std::string_view name, const json::value& value) {
  if (auto* present = find_attribute(object, name))
    *present = value;
  else
    object[name] = value;
}

void drop(json::object& object, std::string_view name) {
  for (auto member = object.begin(); member != object.end(); ++member)
    if (web::equal_ignoring_case({member->key().data(), member->key().size()}, name)) {
      object.erase(member);
      return;
    }
}

// What tells the elements of a list apart: their `value`, or themselves.
std::string identity_of(const json::value& element) {
  const auto* complex = element.if_object();
  const auto* value = complex ? find_attribute(*complex, "value") : nullptr;
  return json::serialize(value ? *value : element);
}

std::set<std::string> identities_of(const json::array& list) {
  std::set<std::string> identities;
  for (const auto& element : list) identities.insert(identity_of(element));
  return identities;
}

json::array as_list(const json::value& value) {
  if (const auto* list = value.if_array()) return *list;
  return value.is_null() ? json::array() : json::array{value};
}

class Patcher {
 public:
  Patcher(json::object& resource, const Attributes& attributes) : resource_(resource), attributes_(attributes) {}

  web::Result<void> apply(const json::value& given) {
    const auto* operation = given.if_object();
    const auto* name = operation ? find_attribute(*operation, "op") : nullptr;
    const auto kind = operation_named(web::string_or_empty(name));
    if (!kind) return web::invalid("Operations need op: add, replace or remove");
    const auto* path = find_attribute(*operation, "path");
    const auto* value = find_attribute(*operation, "value");
    if (path && !path->is_null() && !path->is_string()) return invalid_path("path must be a string");
    if (!value && *kind != Operation::remove) return web::invalid("value is required to " + web::string_or_empty(name));
    const auto text = web::string_or_empty(path);
    if (!text.empty()) return apply_at(*kind, text, value ? *value : json::value(), true);
    if (*kind == Operation::remove) return no_target("path is required to remove");
    const auto* members = value->if_object();
    if (!members) return web::invalid("value must be an object where path is missing");
    for (const auto& [member, inner] : *members)
      if (auto done = apply_at(*kind, {member.data(), member.size()}, inner, false); !done) return done;
    return {};
  }

 private:
  // Fixed attributes are refused where a path names them. Where they are members of a resource that is sent as a whole,
  // they are ignored.
  web::Result<void> apply_at(Operation kind, std::string_view text, const json::value& value, bool is_path) {
    const auto target = parse_target(text);
    if (!target) return target.error();
    if (const auto fixed = known_name(attributes_.fixed, target->path.attribute); fixed && is_path)
      return read_only(*fixed);
    const auto name = known_name(attributes_.changeable, target->path.attribute);
    if (!name) return {};
    if (known_name(attributes_.lists, *name)) return apply_to_list(kind, *name, *target, value);
    if (target->filter) return invalid_path(std::string(*name) + " is not a list");
    if (target->path.sub.empty()) return apply_to_value(kind, *name, value);
    return apply_to_part(kind, *name, target->path.sub, value);
  }

  web::Result<void> apply_to_value(Operation kind, std::string_view name, const json::value& value) {
    if (kind == Operation::remove || value.is_null()) {
      drop(resource_, name);
      return {};
    }
    const auto* given = value.if_object();
    auto* present = find_attribute(resource_, name);
    if (!given || !present || !present->is_object()) {
      put(resource_, name, value);
      return {};
    }
    for (const auto& [part, inner] : *given) put(present->get_object(), {part.data(), part.size()}, inner);
    return {};
  }

  web::Result<void> apply_to_part(Operation kind, std::string_view name, std::string_view part,
                                  const json::value& value) {
    auto* present = find_attribute(resource_, name);
    if (kind == Operation::remove || value.is_null()) {
      if (present && present->is_object()) drop(present->get_object(), part);
      return {};
    }
    if (!present || !present->is_object()) {
      put(resource_, name, json::object());
      present = find_attribute(resource_, name);
    }
    put(present->get_object(), part, value);
    return {};
  }

  json::array& list_named(std::string_view name) {
    auto* present = find_attribute(resource_, name);
    if (!present) return resource_[name].emplace_array();
    if (!present->is_array()) *present = as_list(*present);
    return present->get_array();
  }

  web::Result<void> apply_to_list(Operation kind, std::string_view name, const Target& target,
                                  const json::value& value) {
    auto& list = list_named(name);
    if (target.filter || !target.path.sub.empty()) return apply_to_elements(kind, list, target, value);
    if (kind == Operation::replace) {
      list = as_list(value);
    } else if (kind == Operation::add) {
      auto present = identities_of(list);
      for (const auto& element : as_list(value))
        if (present.insert(identity_of(element)).second) list.push_back(element);
    } else if (value.is_null()) {
      list.clear();
    } else {  // as Entra ID names members to remove
      const auto removed = identities_of(as_list(value));
      erase_if(list, [&](const json::value& one) { return removed.contains(identity_of(one)); });
    }
    return {};
  }

  web::Result<void> apply_to_elements(Operation kind, json::array& list, const Target& target,
                                      const json::value& value) {
    const auto is_meant = [&](const json::value& one) { return !target.filter || target.filter->matches(one); };
    const auto& part = target.path.sub;
    if (kind == Operation::remove && part.empty()) {
      erase_if(list, is_meant);
      return {};
    }
    bool is_found = false;
    for (auto& one : list) {
      if (!one.is_object() || !is_meant(one)) continue;
      is_found = true;
      auto& element = one.get_object();
      if (part.empty() && value.is_object())
        for (const auto& [name, inner] : value.get_object()) put(element, {name.data(), name.size()}, inner);
      else if (part.empty())
        return web::invalid("value must be an object for this path");
      else if (kind == Operation::remove)
        drop(element, part);
      else
        put(element, part, value);
    }
    if (is_found || kind == Operation::remove) return {};
    if (kind == Operation::replace) return no_target("Nothing matches the path's filter");
    return add_element(list, target, value);
  }

  // The element that the path describes: emails[type eq "work"].value.
  static web::Result<void> add_element(json::array& list, const Target& target, const json::value& value) {
    json::object element;
    for (const std::string_view name : {"type", "value"})
      if (const auto text = target.filter ? target.filter->required(name) : std::nullopt) element[name] = *text;
    if (!target.path.sub.empty())
      element[target.path.sub] = value;
    else if (const auto* given = value.if_object())
      for (const auto& [name, inner] : *given) element[name] = inner;
    list.push_back(std::move(element));
    return {};
  }

  template <class Condition>
  static void erase_if(json::array& list, Condition is_removed) {
    json::array kept;
    for (auto& one : list)
      if (!is_removed(one)) kept.push_back(std::move(one));
    list = std::move(kept);
  }

  json::object& resource_;
  const Attributes& attributes_;
};

}  // namespace

web::Result<void> apply_patch(json::object& resource, const json::array& operations, const Attributes& attributes) {
  if (operations.empty()) return web::invalid("Operations must not be empty");
  if (operations.size() > max_operations) return web::invalid("Operations must be at most 1000");
  Patcher patcher(resource, attributes);
  for (const auto& operation : operations)
    if (auto done = patcher.apply(operation); !done) return done;
  return {};
}

}  // namespace scim
