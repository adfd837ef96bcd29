#include "appliance/identity/scim/discovery.h"

#include <boost/json.hpp>

#include "appliance/identity/scim/protocol.h"
#include "web/ascii.h"

namespace scim {

namespace {

namespace json = boost::json;

struct Type {
  std::string_view name, endpoint, schema, description;
};
constexpr Type types[] = {{"User", "/Users", schema::user, "A user of the box"},
                          {"Group", "/Groups", schema::group, "A group of users"}};

// An attribute of a schema.
struct Definition {
  std::string_view name, type, description;
  std::string_view mutability = "readWrite", uniqueness = "none";
  bool is_list = false, is_required = false, is_exact = false;
};

json::object definition_of(const Definition& given, json::array parts = {}) {
  json::object attribute{{"name", given.name},
                         {"type", given.type},
                         {"multiValued", given.is_list},
                         {"description", given.description},
                         {"required", given.is_required},
                         {"mutability", given.mutability},
                         {"returned", "default"}};
  if (given.type == "string" || given.type == "reference") {
    attribute["caseExact"] = given.is_exact;
    attribute["uniqueness"] = given.uniqueness;
  }
  if (given.type == "reference") attribute["referenceTypes"] = json::array{"User", "Group"};
  if (!parts.empty()) attribute["subAttributes"] = std::move(parts);
  return attribute;
}

json::array user_definitions() {
  return {definition_of({.name = "userName",
                         .type = "string",
                         .description = "The name that the identity provider knows the user by",
                         .uniqueness = "server",
                         .is_required = true}),
          definition_of({.name = "displayName", .type = "string", .description = "The name that others see"}),
          definition_of({.name = "name", .type = "complex", .description = "The parts of the user's name"},
                        {definition_of({.name = "givenName", .type = "string", .description = "First name"}),
                         definition_of({.name = "familyName", .type = "string", .description = "Last name"})}),
          definition_of({.name = "active",
                         .type = "boolean",
                         .description = "false: the account is suspended, and keeps everything that it has"}),
          definition_of({.name = "emails",
                         .type = "complex",
                         .description = "The account's address: of those sent, the primary one, else that of work",
                         .is_list = true},
                        {definition_of({.name = "value", .type = "string", .description = "The address"}),
                         definition_of({.name = "type", .type = "string", .description = "work"}),
                         definition_of({.name = "primary", .type = "boolean", .description = "true"})}),
          definition_of(
              {.name = "groups",
               .type = "complex",
               .description = "The groups that the user is a member of",
               .mutability = "readOnly",
               .is_list = true},
              {definition_of(
                   {.name = "value", .type = "string", .description = "The group's id", .mutability = "readOnly"}),
               definition_of({.name = "$ref",
                              .type = "reference",
                              .description = "The group's URL",
                              .mutability = "readOnly",
                              .is_exact = true}),
               definition_of(
                   {.name = "display", .type = "string", .description = "The group's name", .mutability = "readOnly"}),
               definition_of({.name = "type", .type = "string", .description = "direct", .mutability = "readOnly"})})};
}

json::array group_definitions() {
  return {definition_of({.name = "displayName",
                         .type = "string",
                         .description = "The group's name",
                         .uniqueness = "server",
                         .is_required = true}),
          definition_of(
              {.name = "members", .type = "complex", .description = "Users", .is_list = true},
              {definition_of(
                   {.name = "value", .type = "string", .description = "The user's id", .mutability = "immutable"}),
               definition_of({.name = "$ref",
                              .type = "reference",
                              .description = "The user's URL",
                              .mutability = "immutable",
                              .is_exact = true}),
               definition_of(
                   {.name = "display", .type = "string", .description = "The user's name", .mutability = "immutable"}),
               definition_of({.name = "type", .type = "string", .description = "User", .mutability = "immutable"})})};
}

json::object type_document(const std::string& base, const Type& type) {
  return {
      {"schemas", json::array{"urn:ietf:params:scim:schemas:core:2.0:ResourceType"}},
      {"id", type.name},
      {"name", type.name},
      {"endpoint", type.endpoint},
      {"description", type.description},
      {"schema", type.schema},
      {"meta", {{"resourceType", "ResourceType"}, {"location", base + "/ResourceTypes/" + std::string(type.name)}}}};
}

json::object document_of_schema(const std::string& base, const Type& type) {
  return {{"schemas", json::array{"urn:ietf:params:scim:schemas:core:2.0:Schema"}},
          {"id", type.schema},
          {"name", type.name},
          {"description", type.description},
          {"attributes", type.schema == schema::user ? user_definitions() : group_definitions()},
          {"meta", {{"resourceType", "Schema"}, {"location", base + "/Schemas/" + std::string(type.schema)}}}};
}

json::object list_of_types(const std::string& base, json::object (*document)(const std::string&, const Type&)) {
  json::array resources;
  for (const auto& type : types) resources.push_back(document(base, type));
  const auto count = resources.size();
  return {{"schemas", json::array{json::string(schema::list)}},
          {"totalResults", count},
          {"startIndex", 1},
          {"itemsPerPage", count},
          {"Resources", std::move(resources)}};
}

}  // namespace

json::object provider_config(const std::string& base) {
  return {{"schemas", json::array{"urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"}},
          {"patch", {{"supported", true}}},
          {"bulk", {{"supported", false}, {"maxOperations", 0}, {"maxPayloadSize", 0}}},
          {"filter", {{"supported", true}, {"maxResults", max_results}}},
          {"changePassword", {{"supported", false}}},
          {"sort", {{"supported", false}}},
          {"etag", {{"supported", true}}},
          {"authenticationSchemes",
           json::array{{{"type", "oauthbearertoken"},
                        {"name", "Operator key"},
                        {"description", "Authorization: Bearer, with an operator key of the scope scim"},
                        {"primary", true}}}},
          {"meta", {{"resourceType", "ServiceProviderConfig"}, {"location", base + "/ServiceProviderConfig"}}}};
}

std::optional<json::object> resource_type(const std::string& base, std::string_view name) {
  for (const auto& type : types)
    if (type.name == name) return type_document(base, type);
  return std::nullopt;
}

std::optional<json::object> schema_document(const std::string& base, std::string_view urn) {
  for (const auto& type : types)
    if (web::equal_ignoring_case(type.schema, urn)) return document_of_schema(base, type);
  return std::nullopt;
}

json::object resource_types(const std::string& base) { return list_of_types(base, type_document); }
json::object schema_documents(const std::string& base) { return list_of_types(base, document_of_schema); }

}  // namespace scim
