#include "appliance/payments/splits/handlers.h"

#include <charconv>

#include "appliance/access/records.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace splits {

namespace {

constexpr std::size_t usual_page = 100;

web::Result<store::UserId> find_user(const Services& services, std::string_view text) {
  const auto user = accounts::parse_user_id(text);
  if (!user) return web::invalid("userId must be a user's id");
  if (!services.agents.is_user(*user)) return web::not_found("No such user");
  return *user;
}

web::Result<store::UserId> find_user(const Services& services, const boost::json::value& value) {
  if (value.is_null()) return web::invalid("userId is required");
  const auto text = value.is_string() ? std::string(value.get_string()) : boost::json::serialize(value);
  return find_user(services, std::string_view(text));
}

web::Result<crypto::EthereumAddress> address_in(std::string_view text, const std::string& field) {
  const auto address = crypto::EthereumAddress::parse(text);
  if (!address) return web::invalid(field + " must be 0x and 40 hex digits; in mixed case with its checksum");
  return *address;
}

// An agent of this box that belongs to another user.
bool is_foreign(const agents::AgentDirectory& agents, store::UserId user, const std::string& agent) {
  const auto found = agents.find(agent);
  return found && found->owner != user && found->owner != 0;
}

// The nearest number: answers of this row are numbers by contract.
double number_of(const std::string& decimal) {
  double number = 0;
  std::from_chars(decimal.data(), decimal.data() + decimal.size(), number);
  return number;
}

SplitView view(Split split) {
  SplitView view{.splitId = split.number,
                 .status = split.status,
                 .agentId = std::move(split.agent),
                 .name = std::move(split.name),
                 .fromAddress = std::move(split.from),
                 .totalAmount = payments::Usdc::of_micro(split.total),
                 .recipients = {},
                 .reason = split.reason.empty() ? std::nullopt : std::optional(split.reason),
                 .transactions = std::move(split.transactions),
                 .createdAt = split.created_at,
                 .updatedAt = split.updated_at};
  for (auto& recipient : split.recipients)
    view.recipients.push_back(
        {std::move(recipient.address), recipient.share, payments::Usdc::of_micro(recipient.amount)});
  return view;
}

web::Answer obtain_wallet(const Services& services, const web::Request&, WalletRequest body) {
  const auto user = find_user(services, body.userId);
  if (!user) co_return user.error();
  if (is_foreign(services.agents, *user, body.agentId)) co_return web::not_found("Agent not found");
  auto wallet = co_await services.wallets.obtain(*user, wallets::agent_wallet(body.agentId));
  const WalletAnswer answer{
      .address = std::move(wallet.address), .agentId = std::move(body.agentId), .userId = std::move(body.userId)};
  co_return web::reply(answer, 201);
}

web::Answer show_balance(const Services& services, const web::Request& request, UserQuery query) {
  const auto user = find_user(services, std::string_view(query.userId));
  if (!user) co_return user.error();
  const auto address = address_in(request.param("address"), "address");
  if (!address) co_return address.error();
  const auto wallet = services.wallets.find_address(*address);
  if (!wallet || wallet->owner != *user) co_return web::not_found("Wallet not found");
  BalanceAnswer answer{.address = wallet->address};
  const auto account = wallets::Wallets::account_of(*wallet);
  if (services.networks.has_chain() || !account) {
    auto& network = account ? services.networks.main : services.networks.testnet;
    const auto balance = co_await services.balances.of(network, *address);
    if (!balance) co_return balance.error();
    answer.balance_usdc = number_of(balance->usdc);
    answer.source = "chain";
  } else {
    answer.balance_usdc = number_of(services.ledger.balance(*account).to_string());
    answer.source = chains::ledger_network;
  }
  co_return web::reply(answer, 200);
}

web::Answer create_split(const Services& services, const web::Request&, SplitRequest body) {
  const auto user = find_user(services, body.userId);
  if (!user) co_return user.error();
  const auto from = address_in(body.fromAddress, "fromAddress");
  if (!from) co_return from.error();
  const auto total = payments::parse_amount(std::string_view(body.totalAmount), "totalAmount");
  if (!total) co_return total.error();
  Request request{.owner = *user,
                  .agent = std::move(body.agentId),
                  .name = std::move(body.name),
                  .from = *from,
                  .total = *total,
                  .key = body.idempotencyKey.value_or("")};
  for (std::size_t at = 0; at < body.recipients.size(); ++at) {
    const auto to = address_in(body.recipients[at].address, "recipients[" + std::to_string(at) + "].address");
    if (!to) co_return to.error();
    request.recipients.push_back({*to, body.recipients[at].share});
  }
  const auto split = co_await services.splits.create(std::move(request));
  if (!split) co_return split.error();
  const SplitAnswer answer{.splitId = split->number, .status = split->status};
  co_return web::reply(answer, 200);
}

web::Answer list_splits(const Services& services, const web::Request&, SplitsQuery query) {
  const auto user = find_user(services, std::string_view(query.userId));
  if (!user) co_return user.error();
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : usual_page;
  const auto before = query.before ? std::optional<std::int64_t>(*query.before) : std::nullopt;
  SplitList answer;
  for (auto& split : services.splits.list(*user, limit, before)) answer.splits.push_back(view(std::move(split)));
  if (answer.splits.size() == limit) answer.next = answer.splits.back().splitId;
  co_return web::reply(answer, 200);
}

web::Answer show_split(const Services& services, const web::Request& request, UserQuery query) {
  const auto user = find_user(services, std::string_view(query.userId));
  if (!user) co_return user.error();
  const auto number = accounts::parse_user_id(request.param("id"));
  auto split = number ? services.splits.find(*user, *number) : std::nullopt;
  if (!split) co_return web::not_found("Split not found");
  co_return web::reply(view(std::move(*split)), 200);
}

constexpr auto about_wallet =
    "The wallet of an agent, made once: asking again answers the same, with 201 as well. The agent may run elsewhere; "
    "404 if it is another user's, or if there is no such user. `userId` is a number or its text.";

constexpr auto about_balance =
    "`source` is `chain` or, on a box without one (L2_RPC_URL), `ledger`. 404 for an address that is not a wallet of "
    "this user on this box; 503 while the chain cannot be asked and no earlier balance is known.";

constexpr auto about_split =
    "With an `idempotencyKey` the split is made once: the same request again answers the same split, another request "
    "with it is refused with 409 IDEMPOTENCY_KEY_ALREADY_USED. 404 if there is no such user. `totalAmount` is rounded "
    "to "
    "six decimals.\n\n"
    "Stored as `queued`, and settled by a worker: `processing`, then `settled` or `failed` with a reason. Each share "
    "is a "
    "percentage above 0; they add up to 100, to within 0.01. Amounts are rounded down to 0.000001, and the last "
    "recipient "
    "takes the rest, so that they add up to `totalAmount` exactly. At most 100 recipients. On the box's own ledger all "
    "are paid at once or none; on a chain one transaction pays each. A split whose `fromAddress` is not a wallet of "
    "the "
    "user, or whose balance is too low, fails.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto &agents = guards.backend.agents, &internal = guards.backend.internal;
  return {
      {web::POST, "/api/underground/wallets", agents, nullptr,
       web::body<WalletRequest>(on(obtain_wallet)).returns<WalletAnswer>(201).describe(about_wallet),
       "Wallet of an agent"},
      {web::GET, "/api/underground/wallets/:address/balance", agents, nullptr,
       web::query<UserQuery>(on(show_balance)).returns<BalanceAnswer>().describe(about_balance),
       "USDC balance of a wallet"},
      {web::POST, "/api/underground/splits", internal, nullptr,
       web::body<SplitRequest>(on(create_split))
           .returns<SplitAnswer>()
           .fails({web::Kind::not_found, web::Kind::conflict})
           .describe(about_split),
       "Divide a payment among recipients"},
      {web::GET, "/api/underground/splits", agents, nullptr,
       web::query<SplitsQuery>(on(list_splits))
           .returns<SplitList>()
           .describe("Newest first; `next` is the `before` of the following page, or null."),
       "Splits of a user"},
      {web::GET, "/api/underground/splits/:id", agents, nullptr,
       web::query<UserQuery>(on(show_split)).returns<SplitView>(), "One split, with the amounts of its recipients"},
  };
}

}  // namespace splits
