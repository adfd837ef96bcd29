#include "appliance/identity/scim/resources.h"

#include <algorithm>

#include "appliance/foundation/email.h"
#include "appliance/identity/scim/protocol.h"
#include "web/ascii.h"
#include "web/routes/reply.h"

namespace scim {

namespace {

namespace json = boost::json;

// Members that a described struct has, under the names that it has for them.
template <class Body>
json::object with_known_names(json::object given) {
  json::object named;
  boost::mp11::mp_for_each<web::detail::Members<Body>>([&](auto member) {
    if (auto* value = find_attribute(given, member.name)) named[member.name] = std::move(*value);
  });
  return named;
}

template <class Body>
void name_elements(json::object& object, std::string_view list) {
  auto* found = object.if_contains(list);
  if (!found || !found->is_array()) return;
  for (auto& one : found->get_array())
    if (one.is_object()) one = with_known_names<Body>(std::move(one.get_object()));
}

web::Result<bool> read_truth(const json::value& value, std::string_view name) {
  if (const auto* truth = value.if_bool()) return *truth;
  const auto* text = value.if_string();
  if (text && web::equal_ignoring_case({text->data(), text->size()}, "true")) return true;
  if (text && web::equal_ignoring_case({text->data(), text->size()}, "false")) return false;
  return web::invalid(std::string(name) + " must be true or false");
}

template <class Text>
std::string text_or_empty(const std::optional<Text>& text) {
  return text ? std::string(*text) : std::string();
}

// The primary one, else that of work, else the first.
std::string preferred_email(const web::List<EmailBody, 0, 20>& emails) {
  const EmailBody* best = nullptr;
  int best_rank = -1;
  for (const auto& one : emails) {
    if (!one.value || one.value->empty()) continue;
    const auto is_primary = one.primary ? read_truth(*one.primary, "primary") : web::Result<bool>(false);
    const int rank = is_primary && *is_primary ? 2 : one.type && web::equal_ignoring_case(*one.type, "work") ? 1 : 0;
    if (rank > best_rank) best = &one;
    best_rank = std::max(best_rank, rank);
  }
  return best ? std::string(*best->value) : std::string();
}

std::string full_name(const NameBody& name) {
  if (name.formatted && !name.formatted->empty()) return *name.formatted;
  const auto given = text_or_empty(name.givenName), family = text_or_empty(name.familyName);
  return given + (given.empty() || family.empty() ? "" : " ") + family;
}

json::object meta_of(std::string_view type, const std::string& location, store::Time created) {
  return {{"resourceType", type}, {"created", web::iso8601(created)}, {"location", location}};
}

std::string location_of(const std::string& base, std::string_view kind, const std::string& id) {
  return base + "/" + std::string(kind) + "/" + id;
}

}  // namespace

const Attributes user_attributes{.changeable = {"userName", "externalId", "displayName", "name", "emails", "active"},
                                 .lists = {"emails"},
                                 .fixed = {"id", "meta", "groups", "schemas"}};
const Attributes group_attributes{
    .changeable = {"displayName", "externalId", "members"}, .lists = {"members"}, .fixed = {"id", "meta", "schemas"}};

web::Result<UserStatement> read_user(json::object resource, const std::string& known_email) {
  auto named = with_known_names<UserBody>(std::move(resource));
  if (auto* name = named.if_contains("name"); name && name->is_object())
    *name = with_known_names<NameBody>(std::move(name->get_object()));
  name_elements<EmailBody>(named, "emails");
  auto body = web::parse_value<UserBody>(named);
  if (!body) return body.error();

  UserStatement statement{.user_name = body->userName, .external_id = text_or_empty(body->externalId)};
  if (body->active) {
    const auto active = read_truth(*body->active, "active");
    if (!active) return active.error();
    statement.active = *active;
  }
  auto address = body->emails ? preferred_email(*body->emails) : known_email;
  if (address.empty()) address = agentbox::normalised_email(body->userName) ? std::string(body->userName) : known_email;
  if (address.empty()) return web::invalid("emails, or a userName that is an address, is required");
  auto email = agentbox::normalised_email(address);
  if (!email) return web::invalid("emails is not a valid address");
  if (agentbox::is_reserved_email(*email)) return web::invalid("emails must not end in @wallet.app");
  statement.email = std::move(*email);
  if (body->name) {
    statement.given_name = text_or_empty(body->name->givenName);
    statement.family_name = text_or_empty(body->name->familyName);
  }
  statement.display_name = text_or_empty(body->displayName);
  if (statement.display_name.empty() && body->name) statement.display_name = full_name(*body->name);
  if (statement.display_name.empty()) statement.display_name = body->userName;
  return statement;
}

web::Result<GroupStatement> read_group(json::object resource) {
  auto named = with_known_names<GroupBody>(std::move(resource));
  name_elements<MemberBody>(named, "members");
  const auto body = web::parse_value<GroupBody>(named);
  if (!body) return body.error();
  GroupStatement statement{.display_name = body->displayName, .external_id = {}, .members = {}};
  if (body->externalId) statement.external_id = *body->externalId;
  if (!body->members) return statement;
  auto& members = statement.members.emplace();
  for (const auto& one : *body->members) {
    const auto id = accounts::parse_user_id(one.value);
    if (!id) return web::invalid("members must be ids of users");
    members.push_back(*id);
  }
  return statement;
}

json::object user_resource(const std::string& base, const accounts::User& user, const ProvisionedUser* provisioned,
                           const std::vector<groups::Group>& groups) {
  const auto id = std::to_string(user.id);
  json::object resource{
      {"schemas", json::array{json::string(schema::user)}},
      {"id", id},
      {"userName", provisioned ? provisioned->user_name : user.email},
      {"displayName", user.name},
      {"active", !user.is_disabled},
      {"emails", json::array{json::object{{"value", user.email}, {"type", "work"}, {"primary", true}}}}};
  if (provisioned && !provisioned->external_id.empty()) resource["externalId"] = provisioned->external_id;
  json::object name;
  if (provisioned && !provisioned->given_name.empty()) name["givenName"] = provisioned->given_name;
  if (provisioned && !provisioned->family_name.empty()) name["familyName"] = provisioned->family_name;
  if (!name.empty()) resource["name"] = std::move(name);
  json::array listed;
  for (const auto& group : groups)
    listed.push_back({{"value", group.id},
                      {"display", group.name},
                      {"type", "direct"},
                      {"$ref", location_of(base, "Groups", group.id)}});
  if (!listed.empty()) resource["groups"] = std::move(listed);
  resource["meta"] = meta_of("User", location_of(base, "Users", id), user.created_at);
  return resource;
}

json::object group_resource(const std::string& base, const groups::Group& group) {
  json::object resource{
      {"schemas", json::array{json::string(schema::group)}}, {"id", group.id}, {"displayName", group.name}};
  if (!group.external_id.empty()) resource["externalId"] = group.external_id;
  resource["meta"] = meta_of("Group", location_of(base, "Groups", group.id), group.created_at);
  return resource;
}

json::object member_of_group(const std::string& base, const accounts::User& user) {
  const auto id = std::to_string(user.id);
  return {{"value", id}, {"display", user.name}, {"type", "User"}, {"$ref", location_of(base, "Users", id)}};
}

void add_version(json::object& resource) {
  const auto version = version_of(resource);
  resource["meta"].get_object()["version"] = version;
}

}  // namespace scim
