// For owners: whom an agent is shared with.
#include "appliance/billing/usage/money.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/hosting/sharing/handlers.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/groups/groups.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace sharing {

namespace {

using web::Request;
using ConversationId = web::Text<1, 64>;

struct ShareRequest {
  std::optional<web::Text<1, 254>> email;
  std::optional<web::Text<1, 64>> group;
  Role role;
  std::optional<PaidBy> paidBy;
  std::optional<web::Text<1, 20>> monthlyUsd;
  std::optional<web::List<ConversationId, 0, Sharing::max_conversations>> conversations;
  std::optional<bool> unverified;
};
BOOST_DESCRIBE_STRUCT(ShareRequest, (), (email, group, role, paidBy, monthlyUsd, conversations, unverified))

struct ShareView {
  std::string id;
  std::optional<std::string> email, group, groupName;
  Role role = Role::viewer;
  PaidBy paidBy = PaidBy::owner;
  std::optional<std::string> monthlyUsd;
  std::vector<std::string> conversations;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(ShareView, (),
                      (id, email, group, groupName, role, paidBy, monthlyUsd, conversations, createdAt, updatedAt))

struct ShareList {
  std::vector<ShareView> shares;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(ShareList, (), (shares, count))

ShareView view(const groups::Groups& groups, Share share) {
  ShareView shown{.id = std::move(share.id),
                  .email = {},
                  .group = {},
                  .groupName = {},
                  .role = share.role,
                  .paidBy = share.paid_by,
                  .monthlyUsd = {},
                  .conversations = std::move(share.conversations),
                  .createdAt = share.created_at,
                  .updatedAt = share.updated_at};
  if (!share.email.empty()) {
    shown.email = std::move(share.email);
  } else {
    shown.group = share.person.substr(1);
    if (const auto group = groups.find(*shown.group)) shown.groupName = group->name;
  }
  if (share.monthly_limit) shown.monthlyUsd = usage::Money::of_units(*share.monthly_limit).to_string();
  return shown;
}

web::Answer list_shares(const Services& services, const Request& request) {
  auto found = services.sharing.list(request.caller.user_id, request.param("id"));
  if (!found) co_return found.error();
  ShareList answer;
  for (auto& share : *found) answer.shares.push_back(view(services.groups, std::move(share)));
  answer.count = std::int64_t(answer.shares.size());
  co_return web::reply(answer, 200);
}

web::Result<NewShare> new_share(ShareRequest body) {
  NewShare share{.email = {}, .group = {}, .role = body.role, .paid_by = body.paidBy.value_or(PaidBy::owner)};
  if (body.email) share.email = std::move(*body.email);
  if (body.group) share.group = std::move(*body.group);
  if (body.monthlyUsd) {
    const auto money = usage::Money::parse(*body.monthlyUsd);
    if (!money || *money < usage::Money()) return web::invalid("monthlyUsd must be an amount in dollars");
    share.monthly_limit = money->units();
  }
  share.takes_unverified = body.unverified.value_or(false);
  if (body.conversations) share.conversations.assign(body.conversations->begin(), body.conversations->end());
  return share;
}

web::Answer put_share(const Services& services, const Request& request, ShareRequest body) {
  auto given = new_share(std::move(body));
  if (!given) co_return given.error();
  auto entry = audit::of_request(request, "agent shared", request.param("id") + " with " + given->email + given->group);
  auto share = co_await services.sharing.put(request.caller.user_id, request.param("id"), std::move(*given));
  if (!share) entry.outcome = share.error().message;
  co_await services.audit.note(std::move(entry));
  if (!share) co_return share.error();
  co_return web::reply(view(services.groups, std::move(*share)), 200);
}

web::Answer remove_share(const Services& services, const Request& request) {
  auto entry = audit::of_request(request, "agent no longer shared", request.param("id"));
  const auto removed =
      co_await services.sharing.remove(request.caller.user_id, request.param("id"), request.param("share"));
  if (!removed) entry.outcome = removed.error().message;
  co_await services.audit.note(std::move(entry));
  if (!removed) co_return removed.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

constexpr auto sharing_text =
    "With a user, by `email`, or with a `group`; in place of the share that there is with them. A viewer reads the "
    "`conversations` that are named here, without the steps of tools. A talker also has conversations of its own: the "
    "agent answers there as for any other user, without anything of the owner's, and the owner can read them. A "
    "builder also changes settings and files and has schedules, never keys, money or others' conversations; what a "
    "builder writes shapes what the agent does for the owner, too. `paidBy` is who pays for a talker's turns (owner), "
    "and `monthlyUsd` what each person may use in a month. An account has the share once its address is verified, "
    "or at once with `unverified`, which is for boxes that send no mail: anybody can register an address there. The "
    "answer does not say whether the address has an account. With several shares the one with "
    "the most rights counts.";

}  // namespace

std::vector<web::Route> share_rows(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/agents/:id/shares", session, &hosting::agents_rate,
       web::plain(on(list_shares)).returns<ShareList>(), "List whom an agent is shared with"},
      {web::PUT, "/api/agents/:id/shares", session, &hosting::agents_rate,
       web::body<ShareRequest>(on(put_share))
           .returns<ShareView>()
           .describe(sharing_text)
           .fails({web::Kind::not_found, web::Kind::too_many}),
       "Share an agent"},
      {web::DELETE, "/api/agents/:id/shares/:share", session, &hosting::agents_rate,
       web::plain(on(remove_share))
           .returns<web::Succeeded>()
           .describe("The person's conversations stay with the agent until one of both deletes them."),
       "Stop sharing an agent"},
  };
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto rows = share_rows(guards, on);
  for (auto more : {talk_rows, builder_rows, schedule_rows}) web::append(rows, more(guards, on));
  return rows;
}

}  // namespace sharing
