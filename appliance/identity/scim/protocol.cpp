#include "appliance/identity/scim/protocol.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"
#include "web/routes/reply.h"

namespace scim {

namespace {

namespace json = boost::json;

constexpr int precondition_failed = 412;
constexpr std::string_view scim_types[] = {"invalidFilter", "tooMany",  "uniqueness",   "mutability",  "invalidSyntax",
                                           "invalidPath",   "noTarget", "invalidValue", "invalidVers", "sensitive"};

web::Error invalid_as(std::string_view type, std::string message) {
  auto error = web::invalid(std::move(message));
  error.code = type;
  return error;
}

int status_of(const web::Error& error) {
  const auto* status = error.extra.if_contains("status");
  return status && status->is_int64() ? static_cast<int>(status->get_int64()) : web::http_status(error.kind);
}

json::object error_body(const web::Error& error) {
  json::object body{{"schemas", json::array{json::string(schema::error)}},
                    {"status", std::to_string(status_of(error))},
                    {"detail", error.message}};
  std::string type = error.code;
  if (type.empty() && error.kind == web::Kind::invalid) type = "invalidValue";
  if (type.empty() && error.kind == web::Kind::conflict) type = "uniqueness";
  if (std::ranges::find(scim_types, type) != std::end(scim_types)) body["scimType"] = type;
  return body;
}

bool names(const AttributePath& path, std::string_view attribute) {
  return path.attribute == web::lower_case(attribute);
}

}  // namespace

web::Error invalid_filter(std::string message) { return invalid_as("invalidFilter", std::move(message)); }
web::Error invalid_path(std::string message) { return invalid_as("invalidPath", std::move(message)); }
web::Error no_target(std::string message) { return invalid_as("noTarget", std::move(message)); }
web::Error read_only(std::string_view attribute) {
  return invalid_as("mutability", std::string(attribute) + " is read-only");
}
web::Error not_unique(std::string message) {
  auto error = web::conflict(std::move(message));
  error.code = "uniqueness";
  return error;
}
web::Error version_changed() {
  auto error = web::conflict("The resource has another version than If-Match names: read it again");
  error.code = "invalidVers";
  error.extra["status"] = precondition_failed;
  return error;
}

web::ErrorForm error_form() { return {.prefix = "/scim", .body = error_body, .content_type = std::string(media_type)}; }

web::Response error_reply(const web::Error& error) {
  auto response = web::error_response(error);
  response.status = status_of(error);
  response.content_type = media_type;
  response.body = json::serialize(error_body(error));
  return response;
}

web::Response reply(json::object body, int status) {
  web::Response response;
  response.status = status;
  response.content_type = media_type;
  response.body = json::serialize(body);
  return response;
}

std::optional<AttributePath> AttributePath::parse(std::string_view text) {
  AttributePath path;
  std::string rest = web::lower_case(web::trim(text));
  if (rest.starts_with("urn:")) {
    const auto colon = rest.rfind(':');
    const auto urn = rest.substr(0, colon);
    // The attributes of an extension are members of it; those of the resource's own schema are the resource's.
    const bool is_core = urn == web::lower_case(schema::user) || urn == web::lower_case(schema::group);
    rest.erase(0, colon + 1);
    if (!is_core) {
      path.attribute = urn;
      path.sub = std::move(rest);
      return path;
    }
  }
  const auto dot = rest.find('.');
  path.attribute = rest.substr(0, dot);
  if (dot != std::string::npos) path.sub = rest.substr(dot + 1);
  const auto is_name = [](std::string_view name) {
    return !name.empty() && (web::is_letter(name.front()) || name.front() == '$') &&
           std::ranges::all_of(name.substr(1), [](char c) { return web::is_alphanumeric(c) || c == '-' || c == '_'; });
  };
  if (!is_name(path.attribute) || (dot != std::string::npos && !is_name(path.sub))) return std::nullopt;
  return path;
}

const json::value* find_attribute(const json::object& object, std::string_view name) {
  if (const auto* exact = object.if_contains(name)) return exact;
  const auto same = [&](const auto& member) {
    return web::equal_ignoring_case({member.key().data(), member.key().size()}, name);
  };
  const auto* found = std::find_if(object.begin(), object.end(), same);
  return found == object.end() ? nullptr : &found->value();
}

json::value* find_attribute(json::object& object, std::string_view name) {
  return const_cast<json::value*>(find_attribute(std::as_const(object), name));
}

Projection::Projection(std::string_view attributes, std::string_view excluded_attributes) {
  const auto read = [](std::string_view list, std::vector<AttributePath>& paths) {
    while (!list.empty()) {
      const auto name = list.substr(0, list.find(','));
      list.remove_prefix(std::min(name.size() + 1, list.size()));
      if (auto path = AttributePath::parse(name)) paths.push_back(std::move(*path));
    }
  };
  read(attributes, wanted_);
  read(excluded_attributes, excluded_);
}

bool Projection::includes(std::string_view attribute) const {
  if (attribute == "schemas" || attribute == "id") return true;
  if (!wanted_.empty()) return std::ranges::any_of(wanted_, [&](const auto& path) { return names(path, attribute); });
  return std::ranges::none_of(excluded_, [&](const auto& path) { return path.sub.empty() && names(path, attribute); });
}

json::object Projection::of(json::object resource) const {
  if (is_whole()) return resource;
  const auto keeps = [&](const std::vector<AttributePath>& paths, std::string_view attribute, std::string_view sub) {
    return std::ranges::any_of(paths, [&](const AttributePath& path) {
      return names(path, attribute) && (path.sub.empty() || path.sub == web::lower_case(sub));
    });
  };
  const auto is_kept = [&](std::string_view attribute, std::string_view sub) {
    return wanted_.empty() ? !keeps(excluded_, attribute, sub) : keeps(wanted_, attribute, sub);
  };
  json::object projected;
  for (const auto& [key, value] : resource) {
    const std::string_view attribute(key.data(), key.size());
    if (!includes(attribute)) continue;
    const auto* complex = value.if_object();
    if (!complex) {
      projected[attribute] = value;
      continue;
    }
    json::object part;
    for (const auto& [name, inner] : *complex)
      if (is_kept(attribute, {name.data(), name.size()})) part[name] = inner;
    projected[attribute] = std::move(part);
  }
  return projected;
}

std::string version_of(const json::object& resource) {
  constexpr std::size_t digits = 24;
  return "W/\"" + crypto::sha256_hex(json::serialize(resource)).substr(0, digits) + "\"";
}

bool lists_version(std::string_view tags, std::string_view version) {
  const auto bare = [](std::string_view tag) { return tag.starts_with("W/") ? tag.substr(2) : tag; };
  while (!tags.empty()) {
    const auto item = tags.substr(0, tags.find(','));
    tags.remove_prefix(std::min(item.size() + 1, tags.size()));
    const auto tag = web::trim(item);
    if (tag == "*" || bare(tag) == bare(version)) return true;
  }
  return false;
}

}  // namespace scim
