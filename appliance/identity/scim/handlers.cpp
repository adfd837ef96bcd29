#include "appliance/identity/scim/handlers.h"

#include <algorithm>

#include "appliance/identity/scim/discovery.h"
#include "appliance/identity/scim/protocol.h"
#include "web/json.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/run_on.h"

namespace scim {

namespace {

namespace json = boost::json;
using web::Request;

constexpr std::size_t default_count = 100;

struct ListQuery {
  std::optional<web::Text<0, 4'000>> filter;
  std::optional<std::int64_t> startIndex, count;
  std::optional<web::Text<0, 1'000>> attributes, excludedAttributes;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (filter, startIndex, count, attributes, excludedAttributes))

struct ShowQuery {
  std::optional<web::Text<0, 1'000>> attributes, excludedAttributes;
};
BOOST_DESCRIBE_STRUCT(ShowQuery, (), (attributes, excludedAttributes))

template <class Query>
Projection projection_of(const Query& query) {
  return {query.attributes ? std::string_view(*query.attributes) : std::string_view(),
          query.excludedAttributes ? std::string_view(*query.excludedAttributes) : std::string_view()};
}

// An error whose status no kind has is answered here; the dispatcher answers all others.
web::Result<web::Response> refusal(const web::Error& error) {
  if (error.extra.contains("status")) return error_reply(error);
  return error;
}

std::string version_in_meta(const json::object& resource) { return web::string_at(resource, "/meta/version"); }

web::Response resource_reply(json::object resource, int status) {
  const auto version = version_in_meta(resource), location = web::string_at(resource, "/meta/location");
  auto response = reply(std::move(resource), status);
  if (!version.empty()) response.set("ETag", version);
  if (status == 201) response.set("Location", location);
  return response;
}

web::Response no_content() {
  web::Response response;
  response.status = 204;
  response.content_type.clear();
  return response;
}

web::Result<web::Response> shown(const Request& request, std::optional<json::object> resource,
                                 const Projection& projection) {
  if (!resource) return web::not_found("No such resource");
  const auto version = version_in_meta(*resource);
  if (!version.empty() && lists_version(request.header("If-None-Match"), version)) {
    auto unchanged = no_content();
    unchanged.status = 304;
    unchanged.set("ETag", version);
    return unchanged;
  }
  auto response = reply(projection.of(std::move(*resource)));
  if (!version.empty()) response.set("ETag", version);
  return response;
}

std::string condition_of(const Request& request) { return std::string(request.header("If-Match")); }

web::Answer show_config(const Services& services, const Request&) {
  co_return reply(provider_config(services.provisioning.base()));
}

web::Answer list_types(const Services& services, const Request&) {
  co_return reply(resource_types(services.provisioning.base()));
}

web::Answer show_type(const Services& services, const Request& request) {
  auto document = resource_type(services.provisioning.base(), request.param("name"));
  if (!document) co_return web::not_found("No such resource type");
  co_return reply(std::move(*document));
}

web::Answer list_schemas(const Services& services, const Request&) {
  co_return reply(schema_documents(services.provisioning.base()));
}

web::Answer show_schema(const Services& services, const Request& request) {
  auto document = schema_document(services.provisioning.base(), request.param("schema"));
  if (!document) co_return web::not_found("No such schema");
  co_return reply(std::move(*document));
}

web::Answer list_resources(const Services& services, const Request&, Page (Provisioning::*list)(const Listing&) const,
                           ListQuery query) {
  const auto projection = projection_of(query);
  Listing listing;
  listing.has_members = projection.includes("members");
  listing.start = static_cast<std::size_t>(std::max<std::int64_t>(query.startIndex.value_or(1), 1));
  listing.count = static_cast<std::size_t>(
      std::clamp<std::int64_t>(query.count.value_or(default_count), 0, std::int64_t{max_results}));
  if (query.filter && !query.filter->empty()) {
    auto filter = Filter::parse(*query.filter);
    if (!filter) co_return filter.error();
    listing.filter.emplace(std::move(*filter));
  }
  const auto work = [&] { return (services.provisioning.*list)(listing); };
  auto page = co_await web::offload(services.blocking, work);
  json::array resources;
  for (auto& one : page.resources) resources.push_back(projection.of(std::move(one.get_object())));
  const auto count = resources.size();
  co_return reply({{"schemas", json::array{json::string(schema::list)}},
                   {"totalResults", page.total},
                   {"startIndex", listing.start},
                   {"itemsPerPage", count},
                   {"Resources", std::move(resources)}});
}

web::Answer list_users(const Services& services, const Request& request, ListQuery query) {
  return list_resources(services, request, &Provisioning::users, std::move(query));
}

web::Answer list_groups(const Services& services, const Request& request, ListQuery query) {
  return list_resources(services, request, &Provisioning::groups, std::move(query));
}

web::Answer show_user(const Services& services, const Request& request, ShowQuery query) {
  co_return shown(request, services.provisioning.user(request.param("id")), projection_of(query));
}

web::Answer create_user(const Services& services, const Request& request, json::object body) {
  auto statement = read_user(std::move(body));
  if (!statement) co_return statement.error();
  auto created = co_await services.provisioning.create_user(audit::actor_of(request), std::move(*statement));
  if (!created) co_return refusal(created.error());
  co_return resource_reply(std::move(*created), 201);
}

web::Answer replace_user(const Services& services, const Request& request, json::object body) {
  const std::string& id = request.param("id");
  auto statement = read_user(std::move(body), services.provisioning.separate_email(id));
  if (!statement) co_return statement.error();
  auto changed = co_await services.provisioning.change_user(audit::actor_of(request), id, std::move(*statement),
                                                            condition_of(request));
  if (!changed) co_return refusal(changed.error());
  co_return resource_reply(std::move(*changed), 200);
}

json::array operations_of(const PatchBody& body) { return json::array(body.Operations.begin(), body.Operations.end()); }

web::Answer patch_user(const Services& services, const Request& request, PatchBody body) {
  auto changed = co_await services.provisioning.patch_user(audit::actor_of(request), request.param("id"),
                                                           operations_of(body), condition_of(request));
  if (!changed) co_return refusal(changed.error());
  co_return resource_reply(std::move(*changed), 200);
}

web::Answer remove_user(const Services& services, const Request& request) {
  const auto removed =
      co_await services.provisioning.remove_user(audit::actor_of(request), request.param("id"), condition_of(request));
  if (!removed) co_return refusal(removed.error());
  co_return no_content();
}

web::Answer show_group(const Services& services, const Request& request, ShowQuery query) {
  const auto projection = projection_of(query);
  auto group = services.provisioning.group(request.param("id"), projection.includes("members"));
  co_return shown(request, std::move(group), projection);
}

web::Answer create_group(const Services& services, const Request& request, json::object body) {
  auto statement = read_group(std::move(body));
  if (!statement) co_return statement.error();
  auto created = co_await services.provisioning.create_group(audit::actor_of(request), std::move(*statement));
  if (!created) co_return refusal(created.error());
  co_return resource_reply(std::move(*created), 201);
}

web::Answer replace_group(const Services& services, const Request& request, json::object body) {
  auto statement = read_group(std::move(body));
  if (!statement) co_return statement.error();
  // A group without the attribute has no members: section 3.5.1.
  if (!statement->members) statement->members.emplace();
  auto changed = co_await services.provisioning.change_group(audit::actor_of(request), request.param("id"),
                                                             std::move(*statement), condition_of(request));
  if (!changed) co_return refusal(changed.error());
  co_return resource_reply(std::move(*changed), 200);
}

web::Answer patch_group(const Services& services, const Request& request, PatchBody body) {
  auto changed = co_await services.provisioning.patch_group(audit::actor_of(request), request.param("id"),
                                                            operations_of(body), condition_of(request));
  if (!changed) co_return refusal(changed.error());
  co_return resource_reply(std::move(*changed), 200);
}

web::Answer remove_group(const Services& services, const Request& request) {
  const auto removed =
      co_await services.provisioning.remove_group(audit::actor_of(request), request.param("id"), condition_of(request));
  if (!removed) co_return refusal(removed.error());
  co_return no_content();
}

constexpr const char* list_text =
    "`filter` is one of SCIM, such as `userName eq \"ada@example.org\"`; `startIndex` counts from 1, and `count` is at "
    "most 200. `attributes` and `excludedAttributes` are names with commas. Operator keys need the scope `scim`.";
constexpr const char* user_text =
    "`active: false` suspends the account: sessions end, agents stop, and everything stays. `active: true` ends that, "
    "unless an administrator of the box has disabled the account, too. The address is the primary one of `emails`, "
    "else "
    "that of work, else `userName`; it counts as verified. Unknown attributes are ignored. 403 where it would change "
    "who is an administrator, or an administrator's address. 409, uniqueness: another user has the name or the "
    "address. "
    "Operator keys need the scope `scim`.";
constexpr const char* group_text =
    "`displayName` is the group's name on the box, and `members` `[{value}]` are ids of users. New members without a "
    "plan get the group's. 409, uniqueness: another group has the name. Operator keys need the scope `scim`.";
constexpr const char* patch_text =
    "`Operations` `[{op, path, value}]` as RFC 7644 has them, all of them or none; also as Microsoft Entra ID and Okta "
    "write them. With If-Match, 412 if the resource has another version. Operator keys need the scope `scim`.";
constexpr const char* removal_text =
    "Erases the account and everything in it, as an administrator does: agents, files, conversations. 409 while it has "
    "a balance or a subscription; 403 for administrators. To suspend it instead, send `active: false`. Operator keys "
    "need the scope `scim`.";

// A body with the attributes of `Body` in any case.
template <class Body, class Handler>
web::Endpoint resource_body(Handler handler, const char* text) {
  auto endpoint = web::body<json::object>(std::move(handler)).describe(text);
  endpoint.body = web::schema_of<Body>;
  return std::move(endpoint).fails({web::Kind::conflict, web::Kind::forbidden});
}

template <class Handler>
web::Endpoint operations_body(Handler handler) {
  return web::body<PatchBody>(std::move(handler)).describe(patch_text).fails({web::Kind::conflict});
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.scim;
  std::vector<web::Route> table{
      {web::GET, "/scim/v2/ServiceProviderConfig", key, nullptr, web::plain(on(show_config)), "What SCIM offers here"},
      {web::GET, "/scim/v2/ResourceTypes", key, nullptr, web::plain(on(list_types)), "List the resource types of SCIM"},
      {web::GET, "/scim/v2/ResourceTypes/:name", key, nullptr, web::plain(on(show_type)),
       "Show a resource type of SCIM"},
      {web::GET, "/scim/v2/Schemas", key, nullptr, web::plain(on(list_schemas)), "List the schemas of SCIM"},
      {web::GET, "/scim/v2/Schemas/:schema", key, nullptr, web::plain(on(show_schema)), "Show a schema of SCIM"},

      {web::GET, "/scim/v2/Users", key, nullptr, web::query<ListQuery>(on(list_users)).describe(list_text),
       "List users by SCIM"},
      {web::POST, "/scim/v2/Users", key, nullptr, resource_body<UserBody>(on(create_user), user_text),
       "Create a user by SCIM"},
      {web::GET, "/scim/v2/Users/:id", key, nullptr, web::query<ShowQuery>(on(show_user)), "Show a user by SCIM"},
      {web::PUT, "/scim/v2/Users/:id", key, nullptr, resource_body<UserBody>(on(replace_user), user_text),
       "Replace a user by SCIM"},
      {web::PATCH, "/scim/v2/Users/:id", key, nullptr, operations_body(on(patch_user)), "Change a user by SCIM"},
      {web::DELETE, "/scim/v2/Users/:id", key, nullptr,
       web::plain(on(remove_user)).describe(removal_text).fails({web::Kind::conflict}), "Erase a user by SCIM"},

      {web::GET, "/scim/v2/Groups", key, nullptr, web::query<ListQuery>(on(list_groups)).describe(list_text),
       "List groups by SCIM"},
      {web::POST, "/scim/v2/Groups", key, nullptr, resource_body<GroupBody>(on(create_group), group_text),
       "Create a group by SCIM"},
      {web::GET, "/scim/v2/Groups/:id", key, nullptr, web::query<ShowQuery>(on(show_group)), "Show a group by SCIM"},
      {web::PUT, "/scim/v2/Groups/:id", key, nullptr, resource_body<GroupBody>(on(replace_group), group_text),
       "Replace a group by SCIM"},
      {web::PATCH, "/scim/v2/Groups/:id", key, nullptr, operations_body(on(patch_group)), "Change a group by SCIM"},
      {web::DELETE, "/scim/v2/Groups/:id", key, nullptr,
       web::plain(on(remove_group)).describe("Operator keys need the scope `scim`."), "Remove a group by SCIM"},
  };
  return table;
}

}  // namespace scim
