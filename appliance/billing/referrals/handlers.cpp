#include "appliance/billing/referrals/handlers.h"

#include "appliance/access/records.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace billing::referrals {

namespace {

constexpr std::size_t default_page = 100;

ReferralView view(const accounts::Accounts& accounts, const Referral& referral) {
  const auto user = accounts.find(referral.user_id), referrer = accounts.find(referral.referrer_id);
  return {.userId = std::to_string(referral.user_id),
          .email = user ? user->email : "",
          .referrerId = std::to_string(referral.referrer_id),
          .referrerEmail = referrer ? referrer->email : "",
          .registeredAt = referral.created_at,
          .emailVerified = user && user->email_verified,
          .hasPaid = referral.has_paid,
          .approved = referral.is_approved};
}

web::Task<> note(const Services& services, const web::Request& request, std::string act, const Referral& referral) {
  const auto user = services.accounts.find(referral.user_id);
  auto entry = audit::of_request(request, std::move(act), user ? user->email : "");
  entry.user_id = referral.user_id;
  co_await services.audit.note(std::move(entry));
}

web::Answer list_referrals(const Services& services, const web::Request&, ListQuery query) {
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : default_page;
  const store::UserId after = query.after ? query.after->value : 0;
  auto read = [&referrals = services.referrals, &accounts = services.accounts, after, limit] {
    ReferralPage page{.creditedAfter = referrals.when(), .referrals = {}, .next = {}};
    for (const Referral& referral : referrals.list(after, limit)) page.referrals.push_back(view(accounts, referral));
    if (page.referrals.size() == limit) page.next = page.referrals.back().userId;
    return page;
  };
  const auto page = co_await web::offload(services.blocking, std::move(read));
  co_return web::reply(page, 200);
}

web::Answer approve_referral(const Services& services, const web::Request& request) {
  const auto user = accounts::parse_user_id(request.param("user"));
  if (!user) co_return web::not_found("No referral of this user is pending");
  const auto approved = co_await services.referrals.approve(*user);
  if (!approved) co_return approved.error();
  co_await note(services, request, "referral approved by admin", *approved);
  const auto account = services.accounts.find(*user);
  const Decision answer{.credited = account && account->email_verified};
  co_return web::reply(answer, 200);
}

web::Answer refuse_referral(const Services& services, const web::Request& request) {
  const auto user = accounts::parse_user_id(request.param("user"));
  if (!user) co_return web::not_found("No referral of this user is pending");
  const auto refused = co_await services.referrals.refuse(*user);
  if (!refused) co_return refused.error();
  co_await note(services, request, "referral refused by admin", *refused);
  const Decision answer;
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/admin/referrals", key, nullptr,
       web::query<ListQuery>(on(list_referrals))
           .returns<ReferralPage>()
           .describe("In the order of the new users' ids; `next` is the `after` of the following page. "
                     "`creditedAfter` is the setting REFERRAL_CREDIT."),
       "List the referrals whose credits are pending"},
      {web::POST, "/api/admin/referrals/:user/approve", key, nullptr,
       web::plain(on(approve_referral))
           .returns<Decision>()
           .fails({web::Kind::not_found})
           .describe("`user` is the new user's id. `credited` is false while the address is not verified: the credits "
                     "follow then."),
       "Approve a referral: both users get its credits"},
      {web::POST, "/api/admin/referrals/:user/refuse", key, nullptr,
       web::plain(on(refuse_referral))
           .returns<Decision>()
           .fails({web::Kind::not_found})
           .describe("`user` is the new user's id."),
       "Refuse a referral: neither user gets its credits"},
  };
}

}  // namespace billing::referrals
