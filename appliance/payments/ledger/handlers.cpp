#include "appliance/payments/ledger/handlers.h"

#include "appliance/access/records.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace ledger {

namespace {

// As people read it: whose account it is.
std::string shown(store::UserId owner, const std::string& name) {
  return owner != 0 && name == "user" ? "user/" + std::to_string(owner) : name;
}

web::Result<Account> account_named(const Services& services, const std::string& user_id,
                                   const std::optional<web::Id>& agent) {
  const auto user = accounts::parse_user_id(user_id);
  if (!user || !services.agents.is_user(*user)) return web::invalid("userId must be a user's id");
  if (!agent) return of_user(*user);
  if (!services.agents.find(*user, *agent)) return web::invalid("agentId must be one of the user's agents");
  return of_agent(*user, *agent);
}

web::Answer issue(const Services& services, const web::Request& request, IssueRequest body, bool is_credit) {
  const auto account = account_named(services, body.userId, body.agentId);
  if (!account) co_return account.error();
  const auto amount = payments::parse_amount(std::string_view(body.amount));
  if (!amount) co_return amount.error();
  Order order{.reference = "admin/" + body.reference,
              .from = is_credit ? outside() : *account,
              .to = is_credit ? *account : outside(),
              .amount = *amount,
              .memo = body.memo.value_or("")};
  const auto made = co_await services.ledger.transfer(std::move(order));
  auto entry = audit::of_request(request, is_credit ? "USDC credited by admin" : "USDC debited by admin",
                                 shown(account->owner, account->name) + " " + amount->to_string());
  if (!made) entry.outcome = made.error().message;
  co_await services.audit.note(std::move(entry));
  if (!made) co_return made.error();
  const IssueAnswer answer{
      .reference = body.reference, .amount = *amount, .balance = services.ledger.balance(*account)};
  co_return web::reply(answer, 200);
}

web::Answer show_account(const Services& services, const web::Request&, AccountQuery query) {
  const auto account = account_named(services, query.userId, query.agentId);
  if (!account) co_return account.error();
  const auto limit = static_cast<std::size_t>(query.limit ? query.limit->value : 100);
  AccountView answer{.balance = services.ledger.balance(*account)};
  for (auto& entry : services.ledger.history(*account, {.limit = limit, .before = query.before.value_or("")}))
    answer.entries.push_back({std::move(entry.id), Usdc::of_micro(entry.amount), shown(entry.other_owner, entry.other),
                              std::move(entry.reference), std::move(entry.memo), entry.at});
  if (answer.entries.size() == limit) answer.next = answer.entries.back().id;
  co_return web::reply(answer, 200);
}

web::Answer credit(const Services& services, const web::Request& request, IssueRequest body) {
  co_return co_await issue(services, request, std::move(body), true);
}

web::Answer debit(const Services& services, const web::Request& request, IssueRequest body) {
  co_return co_await issue(services, request, std::move(body), false);
}

web::Answer verify(const Services& services, const web::Request&) {
  VerificationView answer;
  answer.differences = co_await web::offload(services.blocking, [&] { return services.ledger.differences(); });
  answer.ok = answer.differences.empty();
  co_return web::reply(answer, 200);
}

constexpr auto about_issuing =
    "`amount` is a decimal text such as \"12.5\", rounded to six decimals. With `agentId` the account is that "
    "agent's, "
    "otherwise the user's. A `reference` counts once: the same request again answers the same and moves nothing; "
    "another request with it is refused with 409. ";

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  const std::string about_credit = std::string(about_issuing) + "The money is issued by the box.",
                    about_debit = std::string(about_issuing) + "402 INSUFFICIENT_BALANCE beyond the balance.";
  return {
      {web::GET, "/api/admin/ledger", guard, nullptr,
       web::query<AccountQuery>(on(show_account))
           .returns<AccountView>()
           .describe("Newest first; `next` is the `before` of the following page, or null."),
       "Balance and entries of an account on the box's own USDC ledger"},
      {web::POST, "/api/admin/ledger/credit", guard, nullptr,
       web::body<IssueRequest>(on(credit)).returns<IssueAnswer>().describe(about_credit),
       "Credit USDC of the box's own ledger to a user or an agent"},
      {web::POST, "/api/admin/ledger/debit", guard, nullptr,
       web::body<IssueRequest>(on(debit)).returns<IssueAnswer>().describe(about_debit),
       "Take USDC of the box's own ledger back"},
      {web::GET, "/api/admin/ledger/verify", guard, nullptr,
       web::plain(on(verify))
           .returns<VerificationView>()
           .describe("Compares every balance with its entries, and all entries with zero, as they are at one moment; "
                     "`differences` is empty if all is well."),
       "Verify the box's own USDC ledger"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.admin_session, on);
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.backend.internal, on);
}

}  // namespace ledger
