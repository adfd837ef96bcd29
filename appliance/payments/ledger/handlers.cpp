#include "appliance/payments/ledger/handlers.h"

#include "appliance/identity/accounts/user_id.h"
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
  const auto amount = Usdc::parse(body.amount);
  if (!amount || !amount->is_positive())
    co_return web::invalid("amount must be a decimal number above 0, with six decimals at most");
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

}  // namespace

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

}  // namespace ledger
