#include "appliance/billing/spending/handlers.h"

#include "appliance/access/records.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace billing::spending {

namespace {

// With the usage of `user`; without any for user 0.
CapView view(const Cap& cap, const CapPolicy& policy, store::UserId user) {
  const auto use = policy.use_of(cap, user);
  return {.id = cap.id,
          .scope = cap.scope,
          .target = cap.target.empty() ? std::nullopt : std::optional(cap.target),
          .period = cap.period,
          .tokens = cap.tokens,
          .usd = cap.cost ? std::optional(usage::Money::of_units(*cap.cost).to_string()) : std::nullopt,
          .whenReached = cap.when_reached,
          .byAdmin = cap.by_admin,
          .isDefault = cap.is_default,
          .usedTokens = use.tokens,
          .usedUsd = use.cost ? std::optional(use.cost->to_string()) : std::nullopt,
          .resetsAt = use.resets_at,
          .updatedAt = cap.updated_at};
}

web::Response reply_with(const std::vector<Cap>& found, const CapPolicy& policy, store::UserId user) {
  CapList list;
  for (const auto& cap : found) list.caps.push_back(view(cap, policy, user));
  list.count = static_cast<std::int64_t>(list.caps.size());
  return web::reply(list);
}

// The fields that both bodies share. CapPolicy checks the target.
template <class Body>
web::Result<Cap> parse_cap(const Body& body) {
  Cap cap{.scope = body.scope,
          .target = body.target ? std::string(*body.target) : std::string(),
          .period = body.period,
          .when_reached = body.whenReached.value_or(WhenReached::refuse)};
  if (body.tokens) cap.tokens = *body.tokens;
  if (body.usd) {
    const auto amount = usage::Money::parse(*body.usd);
    if (!amount || amount->units() < 0)
      return web::invalid("usd must be an amount such as \"12.50\", of less than 9223372");
    cap.cost = amount->units();
  }
  if (!cap.tokens && !cap.cost && cap.scope != CapScope::agents) return web::invalid("tokens or usd is required");
  return cap;
}

web::Result<std::optional<store::UserId>> parse_user(const std::optional<web::Text<1, 20>>& text) {
  if (!text) return std::optional<store::UserId>();
  const auto user = accounts::parse_user_id(*text);
  if (!user) return web::invalid("userId must be a user's id");
  return user;
}

// "plan solo", "user 7".
std::string subject_of(const Cap& cap) {
  const auto target = cap.target.empty() ? std::to_string(cap.user_id) : cap.target;
  return std::string(boost::describe::enum_to_string(cap.scope, "")) + " " + target;
}

web::Task<> note(const Services& services, const web::Request& request, const char* act, std::string subject,
                 store::UserId user) {
  auto entry = audit::of_request(request, act, std::move(subject));
  if (user != 0) entry.user_id = user;
  co_await services.audit.note(std::move(entry));
}

web::Answer list_own_caps(const Services& services, const web::Request& request, OwnCapsQuery query) {
  const auto user = request.caller.user_id;
  if (query.agent) {
    const auto found = services.caps.caps_of_agent(user, *query.agent);
    if (!found) co_return found.error();
    co_return reply_with(*found, services.caps, user);
  }
  co_return reply_with(services.caps.caps_of_user(user), services.caps, user);
}

web::Answer set_own_cap(const Services& services, const web::Request& request, NewCap body) {
  auto cap = parse_cap(body);
  if (!cap) co_return cap.error();
  const auto stored = co_await services.caps.set_by_user(request.caller.user_id, std::move(*cap));
  if (!stored) co_return stored.error();
  co_return web::reply(view(*stored, services.caps, stored->user_id));
}

web::Answer remove_own_cap(const Services& services, const web::Request& request) {
  const Removed answer{.id = request.param("id")};
  const auto removed = co_await services.caps.remove_by_user(request.caller.user_id, answer.id);
  if (!removed) co_return removed.error();
  co_return web::reply(answer);
}

web::Answer list_caps(const Services& services, const web::Request&, CapsQuery query) {
  const auto user = parse_user(query.userId);
  if (!user) co_return user.error();
  const auto found = services.caps.caps_for_admin(*user);
  if (!found) co_return found.error();
  co_return reply_with(*found, services.caps, user->value_or(0));
}

web::Answer set_cap(const Services& services, const web::Request& request, NewAdminCap body) {
  auto cap = parse_cap(body);
  if (!cap) co_return cap.error();
  const auto user = parse_user(body.userId);
  if (!user) co_return user.error();
  const auto stored = co_await services.caps.set_by_admin(*user, std::move(*cap));
  if (!stored) co_return stored.error();
  co_await note(services, request, "cap set by admin", subject_of(*stored), stored->user_id);
  co_return web::reply(view(*stored, services.caps, stored->user_id));
}

web::Answer remove_cap(const Services& services, const web::Request& request, CapsQuery query) {
  const auto user = parse_user(query.userId);
  if (!user) co_return user.error();
  const Removed answer{.id = request.param("id")};
  const auto removed = co_await services.caps.remove_by_admin(*user, answer.id);
  if (!removed) co_return removed.error();
  co_await note(services, request, "cap removed by admin", answer.id, user->value_or(0));
  co_return web::reply(answer);
}

constexpr const char* put_text =
    "Replaces the cap of the same scope, target and period. `scope` is user, agent or key (target: its id). `tokens` "
    "and `usd` (\"12.50\") limit the usage of a UTC day or calendar month, including reservations of calls in "
    "progress. `whenReached` decides about a call that does not fit: `refuse` (429 CAP_REACHED), `cheaper` (uses the "
    "cheapest allowed model, if that fits) or `local` (uses the box's local model, which this cap does not limit).";
constexpr const char* admin_put_text =
    "As PUT /api/caps, with the further scopes plan (all calls of each user of the plan `target`) and agents (each "
    "agent "
    "of such users). A cap of scope agents for a day replaces the plan's default; without `tokens` and `usd` such "
    "agents "
    "are not limited. Where a plan's default applies, calls whose cost is unknown are limited to a million tokens for "
    "each dollar of it.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/caps", session, nullptr, web::query<OwnCapsQuery>(on(list_own_caps)).returns<CapList>(),
       "List the caps on your model calls, including those of your plan, with current usage; or those on one agent"},
      {web::PUT, "/api/caps", session, nullptr,
       web::body<NewCap>(on(set_own_cap)).returns<CapView>().describe(put_text),
       "Set a cap on yourself, an agent or a key"},
      {web::DELETE, "/api/caps/:id", session, nullptr, web::plain(on(remove_own_cap)).returns<Removed>(),
       "Remove one of your caps"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/admin/caps", key, nullptr, web::query<CapsQuery>(on(list_caps)).returns<CapList>(),
       "List the caps on a user or, without userId, on plans"},
      {web::PUT, "/api/admin/caps", key, nullptr,
       web::body<NewAdminCap>(on(set_cap)).returns<CapView>().describe(admin_put_text),
       "Set a cap on each user of a plan or on each of their agents, or on a user, an agent or a key"},
      {web::DELETE, "/api/admin/caps/:id", key, nullptr, web::query<CapsQuery>(on(remove_cap)).returns<Removed>(),
       "Remove a cap"},
  };
}

}  // namespace billing::spending
