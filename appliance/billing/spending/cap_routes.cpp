#include "appliance/billing/spending/cap_routes.h"

#include "appliance/identity/accounts/user_id.h"
#include "web/endpoint.h"

namespace billing {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

constexpr std::int64_t most_tokens = 1'000'000'000'000'000;

struct NewCap {
  CapScope scope;
  std::optional<web::Text<1, 128>> target;
  CapPeriod period;
  std::optional<web::Integer<0, most_tokens>> tokens;
  std::optional<web::Text<1, 20>> usd;
  std::optional<WhenReached> whenReached;
};
BOOST_DESCRIBE_STRUCT(NewCap, (), (scope, target, period, tokens, usd, whenReached))

struct NewAdminCap {
  std::optional<web::Text<1, 20>> userId;
  CapScope scope;
  std::optional<web::Text<1, 128>> target;
  CapPeriod period;
  std::optional<web::Integer<0, most_tokens>> tokens;
  std::optional<web::Text<1, 20>> usd;
  std::optional<WhenReached> whenReached;
};
BOOST_DESCRIBE_STRUCT(NewAdminCap, (), (userId, scope, target, period, tokens, usd, whenReached))

struct WhoseCaps {
  std::optional<web::Text<1, 20>> userId;
};
BOOST_DESCRIBE_STRUCT(WhoseCaps, (), (userId))

struct CapView {
  std::string id;
  CapScope scope;
  std::optional<std::string> target;
  CapPeriod period;
  std::optional<std::int64_t> tokens;
  std::optional<std::string> usd;
  WhenReached whenReached;
  bool byAdmin;
  // Of what the cap bounds, since the period began; what is reserved for calls under way counts. Of a cap on a plan: by
  // the user who asks, and null for the administrator.
  std::optional<std::int64_t> usedTokens;
  std::optional<std::string> usedUsd;
  store::Time resetsAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(CapView, (),
                      (id, scope, target, period, tokens, usd, whenReached, byAdmin, usedTokens, usedUsd, resetsAt,
                       updatedAt))

struct CapList {
  std::vector<CapView> caps;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(CapList, (), (caps, count))

struct Removed {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, id))

// As it binds `user`: of a cap on a plan, what this one has used.
CapView view(const Cap& cap, const usage::Ledger& ledger, store::UserId user) {
  const auto now = store::now();
  CapView view{.id = cap.id,
               .scope = cap.scope,
               .target = cap.target.empty() ? std::nullopt : std::optional(cap.target),
               .period = cap.period,
               .tokens = cap.tokens,
               .usd = cap.cost ? std::optional(usage::Money::of_units(*cap.cost).to_string()) : std::nullopt,
               .whenReached = cap.when_reached,
               .byAdmin = cap.by_admin,
               .usedTokens = std::nullopt,
               .usedUsd = std::nullopt,
               .resetsAt = cap.period == CapPeriod::day ? usage::next_day(now) : usage::next_month(now),
               .updatedAt = cap.updated_at};
  if (user == 0) return view;
  for (const auto& limit : limits_of(cap, now)) {
    const auto used = ledger.spent(user, limit);
    if (limit.figure == usage::Tallied::tokens) {
      view.usedTokens = used;
    } else {
      view.usedUsd = usage::Money::of_units(used).to_string();
    }
  }
  return view;
}

CapList view(const std::vector<Cap>& caps, const usage::Ledger& ledger) {
  CapList list;
  for (const auto& cap : caps) list.caps.push_back(view(cap, ledger, cap.user_id));
  list.count = static_cast<std::int64_t>(list.caps.size());
  return list;
}

// What both bodies have in common. The target is looked at by is_target.
template <class Body>
web::Result<Cap> cap_of(const Body& wanted) {
  Cap cap{.scope = wanted.scope,
          .target = wanted.target ? std::string(*wanted.target) : std::string(),
          .period = wanted.period,
          .when_reached = wanted.whenReached.value_or(WhenReached::refuse)};
  if (wanted.tokens) cap.tokens = *wanted.tokens;
  if (wanted.usd) {
    const auto amount = usage::Money::parse(*wanted.usd);
    if (!amount || amount->units() < 0)
      return web::invalid("usd must be an amount such as \"12.50\", of less than 9223372");
    cap.cost = amount->units();
  }
  if (!cap.tokens && !cap.cost) return web::invalid("tokens or usd is required");
  return cap;
}

std::optional<web::Error> wrong_target(const Cap& cap, const CapRouteParts& parts) {
  switch (cap.scope) {
    case CapScope::user:
      if (!cap.target.empty()) return web::invalid("target must be left out of a cap on a user");
      return std::nullopt;
    case CapScope::plan:
      if (!plan_named(cap.target)) return web::invalid("target must be label, solo, collective or network");
      return std::nullopt;
    case CapScope::agent:
      if (cap.target.empty()) return web::invalid("target is required");
      if (!parts.has_agent(cap.user_id, cap.target)) return web::not_found("No such agent");
      return std::nullopt;
    case CapScope::key:
      if (cap.target.empty()) return web::invalid("target is required");
      if (!parts.has_key(cap.user_id, cap.target)) return web::not_found("No such key");
      return std::nullopt;
  }
  return std::nullopt;
}

// The user whose caps are meant; 0 for those on plans.
web::Result<store::UserId> owner_named(const std::optional<web::Text<1, 20>>& text, const CapRouteParts& parts) {
  if (!text) return store::UserId{0};
  const auto user = accounts::parse_user_id(*text);
  if (!user) return web::invalid("userId must be a user's id");
  if (!parts.is_user(*user)) return web::not_found("No such user");
  return *user;
}

constexpr const char* put_text =
    "Replaces the cap of the same scope, target and period. `scope` is what it binds: user, agent or key (target: its "
    "id). `tokens` and `usd` (\"12.50\") bound what is used in a UTC day or calendar month, with what calls under way "
    "may still use. When a call does not fit: whenReached `refuse` (429 CAP_REACHED), `cheaper` (the cheapest allowed "
    "model, if that fits), `local` (the box's local model, unbound by this cap).";

}  // namespace

std::vector<web::Route> cap_web_routes(CapRouteParts parts) {
  auto list = [parts](web::Request& request) -> Answer {
    const auto user = request.caller.user_id;
    auto answer = view(parts.caps.list(user), parts.ledger);
    if (const auto plan = parts.plan_of(user)) {
      for (const auto& cap : parts.caps.list(0))
        if (cap.target == to_string(*plan)) answer.caps.push_back(view(cap, parts.ledger, user));
    }
    answer.count = static_cast<std::int64_t>(answer.caps.size());
    co_return web::reply(answer);
  };
  auto put = [parts](web::Request& request, NewCap wanted) -> Answer {
    auto cap = cap_of(wanted);
    if (!cap) co_return cap.error();
    if (cap->scope == CapScope::plan) co_return web::invalid("scope must be one of: user, agent, key");
    cap->user_id = request.caller.user_id;
    if (auto wrong = wrong_target(*cap, parts)) co_return std::move(*wrong);
    const auto kept = co_await parts.caps.put(std::move(*cap));
    if (!kept) co_return kept.error();
    co_return web::reply(view(*kept, parts.ledger, kept->user_id));
  };
  auto remove = [parts](web::Request& request) -> Answer {
    const Removed answer{.id = request.param("id")};
    const auto cap = parts.caps.find(request.caller.user_id, answer.id);
    if (!cap) co_return web::not_found("No such cap");
    if (cap->by_admin) co_return web::forbidden("This cap was set by the administrator");
    const auto removed = co_await parts.caps.remove(request.caller.user_id, answer.id);
    if (!removed) co_return removed.error();
    co_return web::reply(answer);
  };
  return {
      {web::GET, "/api/caps", parts.guards.session, nullptr, web::plain(list).returns<CapList>(),
       "One's caps on models, those of one's plan among them, with what is used"},
      {web::PUT, "/api/caps", parts.guards.session, nullptr,
       web::body<NewCap>(put).returns<CapView>().describe(put_text), "Set a cap on oneself, an agent or a key"},
      {web::DELETE, "/api/caps/:id", parts.guards.session, nullptr, web::plain(remove).returns<Removed>(),
       "Remove a cap of one's own"},
  };
}

std::vector<web::Route> cap_admin_routes(CapRouteParts parts) {
  auto list = [parts](web::Request&, WhoseCaps whose) -> Answer {
    const auto owner = owner_named(whose.userId, parts);
    if (!owner) co_return owner.error();
    co_return web::reply(view(parts.caps.list(*owner), parts.ledger));
  };
  auto put = [parts](web::Request&, NewAdminCap wanted) -> Answer {
    auto cap = cap_of(wanted);
    if (!cap) co_return cap.error();
    if ((cap->scope == CapScope::plan) == wanted.userId.has_value())
      co_return web::invalid("userId is required, but not for a cap on a plan");
    const auto owner = owner_named(wanted.userId, parts);
    if (!owner) co_return owner.error();
    cap->user_id = *owner;
    cap->by_admin = true;
    if (auto wrong = wrong_target(*cap, parts)) co_return std::move(*wrong);
    const auto kept = co_await parts.caps.put(std::move(*cap));
    if (!kept) co_return kept.error();
    co_return web::reply(view(*kept, parts.ledger, kept->user_id));
  };
  auto remove = [parts](web::Request& request, WhoseCaps whose) -> Answer {
    const auto owner = owner_named(whose.userId, parts);
    if (!owner) co_return owner.error();
    const Removed answer{.id = request.param("id")};
    const auto removed = co_await parts.caps.remove(*owner, answer.id);
    if (!removed) co_return removed.error();
    co_return web::reply(answer);
  };
  return {
      {web::GET, "/api/admin/caps", parts.guards.internal_key, nullptr, web::query<WhoseCaps>(list).returns<CapList>(),
       "The caps of a user, or without userId those on plans"},
      {web::PUT, "/api/admin/caps", parts.guards.internal_key, nullptr,
       web::body<NewAdminCap>(put).returns<CapView>().describe(put_text),
       "Set a cap on a plan (for each user who has it), a user, an agent or a key"},
      {web::DELETE, "/api/admin/caps/:id", parts.guards.internal_key, nullptr,
       web::query<WhoseCaps>(remove).returns<Removed>(), "Remove a cap"},
  };
}

}  // namespace billing
