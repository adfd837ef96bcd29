#include "appliance/identity/groups/handlers.h"

namespace groups {

namespace {

template <class T>
std::optional<std::vector<std::string>> texts_of(const std::optional<T>& list) {
  if (!list) return std::nullopt;
  return std::vector<std::string>(list->begin(), list->end());
}

template <class Body>
Edit edit_of(Body body) {
  Edit edit;
  if constexpr (std::is_same_v<Body, NewGroup>)
    edit.name = std::move(body.name);
  else if (body.name)
    edit.name = std::move(*body.name);
  if (body.claim) edit.claim = std::move(*body.claim);
  if (body.plan) edit.plan = std::move(*body.plan);
  edit.models = texts_of(body.models);
  edit.channels = texts_of(body.channels);
  return edit;
}

GroupView view(const Groups& groups, Group group) {
  GroupView shown{.id = std::move(group.id),
                  .name = std::move(group.name),
                  .claim = {},
                  .plan = std::move(group.plan),
                  .models = std::move(group.models),
                  .channels = std::move(group.channels),
                  .createdAt = group.created_at,
                  .updatedAt = group.updated_at};
  if (!group.claim.empty()) shown.claim = std::move(group.claim);
  shown.members = std::int64_t(groups.members(shown.id).size());
  return shown;
}

web::Answer list_groups(const Services& services, const web::Request&) {
  GroupList answer;
  for (auto& group : services.groups.list()) answer.groups.push_back(view(services.groups, std::move(group)));
  answer.count = std::int64_t(answer.groups.size());
  co_return web::reply(answer, 200);
}

// Notes the attempt with its outcome.
template <class T>
web::Task<> note(const Services& services, audit::Entry entry, const web::Result<T>& outcome) {
  if (!outcome) entry.outcome = outcome.error().message;
  co_await services.audit.note(std::move(entry));
}

web::Answer create_group(const Services& services, const web::Request& request, NewGroup body) {
  auto entry = audit::of_request(request, "group created", body.name);
  auto group = co_await services.groups.create(edit_of(std::move(body)));
  co_await note(services, std::move(entry), group);
  if (!group) co_return group.error();
  co_return web::reply(view(services.groups, std::move(*group)), 201);
}

web::Answer show_group(const Services& services, const web::Request& request) {
  auto group = services.groups.find(request.param("id"));
  if (!group) co_return web::not_found("No such group");
  MemberList answer{.group = view(services.groups, std::move(*group)), .members = {}};
  for (const auto& one : services.groups.members(answer.group.id)) {
    MemberView member{
        .userId = std::to_string(one.user), .email = {}, .name = {}, .source = one.source, .since = one.since};
    if (const auto user = services.accounts.find(one.user)) {
      member.email = user->email;
      member.name = user->name;
    }
    answer.members.push_back(std::move(member));
  }
  co_return web::reply(answer, 200);
}

web::Answer change_group(const Services& services, const web::Request& request, GroupChange body) {
  auto entry = audit::of_request(request, "group changed", request.param("id"));
  auto group = co_await services.groups.edit(request.param("id"), edit_of(std::move(body)));
  co_await note(services, std::move(entry), group);
  if (!group) co_return group.error();
  co_return web::reply(view(services.groups, std::move(*group)), 200);
}

web::Answer remove_group(const Services& services, const web::Request& request) {
  auto entry = audit::of_request(request, "group removed", request.param("id"));
  const auto removed = co_await services.groups.remove(request.param("id"));
  co_await note(services, std::move(entry), removed);
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

// A user is named by id or address.
std::optional<accounts::User> named_user(const Services& services, const web::Request& request) {
  const auto& name = request.param("user");
  if (const auto id = accounts::parse_user_id(name)) return services.accounts.find(*id);
  return services.accounts.find_by_email(name);
}

web::Answer add_member(const Services& services, const web::Request& request) {
  const auto user = named_user(services, request);
  if (!user) co_return web::not_found("No such user");
  auto entry = audit::of_request(request, "group member added", request.param("id"));
  entry.user_id = user->id;
  const auto added = co_await services.groups.add(request.param("id"), user->id, Source::admin);
  co_await note(services, std::move(entry), added);
  if (!added) co_return added.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

web::Answer remove_member(const Services& services, const web::Request& request) {
  const auto user = named_user(services, request);
  if (!user) co_return web::not_found("No such user");
  auto entry = audit::of_request(request, "group member removed", request.param("id"));
  entry.user_id = user->id;
  const auto removed = co_await services.groups.remove_member(request.param("id"), user->id);
  co_await note(services, std::move(entry), removed);
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

web::Answer list_own_groups(const Services& services, const web::Request& request) {
  OwnGroups answer;
  for (auto& group : services.groups.of(request.caller.user_id))
    answer.groups.push_back({.id = std::move(group.id), .name = std::move(group.name)});
  co_return web::reply(answer, 200);
}

constexpr const char* group_text =
    "`claim` is the name by which the identity provider's claim `groups` lists the group: users who sign in there join "
    "and leave with it. `plan` is given to members who have none when they join. `models` limits members' calls to "
    "these models of their plans, and `channels` their agents to these kinds of messaging channels; a user in several "
    "groups has what all of them list, and groups without a list limit nothing. Empty texts and lists are none.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/groups", guards.session, nullptr,
       web::plain(on(list_own_groups)).returns<OwnGroups>().describe("An agent can be shared with them."),
       "List the caller's groups"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/groups", guards.backend.users, nullptr, web::plain(on(list_groups)).returns<GroupList>(),
       "List the groups"},
      {web::POST, "/api/admin/groups", guards.backend.users, nullptr,
       web::body<NewGroup>(on(create_group)).returns<GroupView>(201).describe(group_text).fails({web::Kind::conflict}),
       "Create a group"},
      {web::GET, "/api/admin/groups/:id", guards.backend.users, nullptr,
       web::plain(on(show_group)).returns<MemberList>(), "Show a group and its members"},
      {web::PATCH, "/api/admin/groups/:id", guards.backend.users, nullptr,
       web::body<GroupChange>(on(change_group))
           .returns<GroupView>()
           .describe("Only the given fields change, as for POST. Plans that members have stay.")
           .fails({web::Kind::conflict}),
       "Change a group"},
      {web::DELETE, "/api/admin/groups/:id", guards.backend.users, nullptr,
       web::plain(on(remove_group)).returns<web::Succeeded>().describe("Agents are no longer shared with it."),
       "Remove a group"},
      {web::PUT, "/api/admin/groups/:id/members/:user", guards.backend.users, nullptr,
       web::plain(on(add_member)).returns<web::Succeeded>().describe("`user` is an id or an e-mail address."),
       "Add a user to a group"},
      {web::DELETE, "/api/admin/groups/:id/members/:user", guards.backend.users, nullptr,
       web::plain(on(remove_member))
           .returns<web::Succeeded>()
           .describe("One whom the identity provider's claim names joins again at the next sign-in."),
       "Remove a user from a group"},
  };
}

}  // namespace groups
