#include "appliance/billing/mpp/routes.h"

#include "appliance/foundation/chain/amount.h"
#include "web/endpoint.h"

namespace mpp {

namespace {

using web::Request;
using web::Response;
using web::Result;
using web::Task;

const web::RateLimit mpp_rate{.group = "mpp", .limit = 60};

constexpr unsigned decimals = 6;  // of the stablecoins that are paid with

using Action = web::Text<1, 40>;
using Address = web::Text<1, 64>;

struct Look {
  Action action;
  std::optional<web::Text<1, 64>> walletId;
};
BOOST_DESCRIBE_STRUCT(Look, (), (action, walletId))

struct Do {
  Action action;
  std::optional<web::Text<1, 100>> name;
  std::optional<Address> address;
  std::optional<web::Text<1, 64>> walletId;
  std::optional<Address> to;
  std::optional<web::Text<1, 40>> amount;
};
BOOST_DESCRIBE_STRUCT(Do, (), (action, name, address, walletId, to, amount))

struct View {
  std::string id, name;
  Kind kind;
  std::string address;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(View, (), (id, name, kind, address, createdAt))

struct List {
  bool success = true;
  std::vector<View> wallets;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(List, (), (success, wallets, count))

struct One {
  bool success = true;
  View wallet;
};
BOOST_DESCRIBE_STRUCT(One, (), (success, wallet))

View view(const Wallet& wallet) { return {wallet.id, wallet.name, wallet.kind, wallet.address, wallet.created_at}; }

Result<Response> answer_of(const Result<Wallet>& wallet) {
  if (!wallet) return wallet.error();
  const One answer{.wallet = view(*wallet)};
  return web::reply(answer, 200);
}

template <class Id>
Result<Wallet> named(const Wallets& service, store::UserId user, const std::optional<Id>& id) {
  if (!id) return web::invalid("walletId is required");
  auto wallet = service.find(user, *id);
  if (!wallet) return web::not_found("No such wallet");
  return std::move(*wallet);
}

Task<Result<Response>> look(Wallets& service, Request& request, Look wanted) {
  const auto user = request.caller.user_id;
  if (wanted.action == "list-wallets") {
    List answer;
    for (const auto& wallet : service.list(user)) answer.wallets.push_back(view(wallet));
    answer.count = std::int64_t(answer.wallets.size());
    co_return web::reply(answer, 200);
  }
  if (wanted.action != "get-wallet" && wanted.action != "get-balance")
    co_return web::invalid("action must be one of: list-wallets, get-wallet, get-balance");
  const auto wallet = named(service, user, wanted.walletId);
  if (wanted.action == "get-wallet" || !wallet) co_return answer_of(wallet);
  co_return web::unavailable("This box is connected to no payment chain, so no balance can be read.");
}

Task<Result<Response>> pay(Wallets& service, store::UserId user, Do wanted) {
  const auto wallet = named(service, user, wanted.walletId);
  if (!wallet) co_return wallet.error();
  if (!wanted.to || !crypto::EthereumAddress::parse(*wanted.to))
    co_return web::invalid("to must be 0x and 40 hex digits; in mixed case with its checksum");
  const auto amount = wanted.amount ? chain::without_point(*wanted.amount, decimals) : std::nullopt;
  if (!amount || *amount == "0")
    co_return web::invalid("amount must be a decimal number above 0, with six decimals at most");
  if (wallet->kind == Kind::registered)
    co_return web::conflict("The key of this wallet is not on this box: a payment has to be signed where it is.");
  co_return web::unavailable("This box is connected to no payment chain, so nothing can be paid.");
}

Task<Result<Response>> act(Wallets& service, Request& request, Do wanted) {
  const auto user = request.caller.user_id;
  std::string name = wanted.name ? std::string(*wanted.name) : std::string("Wallet");
  if (wanted.action == "create-wallet") {
    const auto made = co_await service.create(user, std::move(name));
    co_return answer_of(made);
  }
  if (wanted.action == "make-payment") co_return co_await pay(service, user, std::move(wanted));
  if (wanted.action != "register-wallet")
    co_return web::invalid("action must be one of: create-wallet, register-wallet, make-payment");
  const auto address = wanted.address ? crypto::EthereumAddress::parse(*wanted.address) : std::nullopt;
  if (!address) co_return web::invalid("address must be 0x and 40 hex digits; in mixed case with its checksum");
  const auto enrolled = co_await service.enrol(user, std::move(name), *address);
  co_return answer_of(enrolled);
}

}  // namespace

std::vector<web::Route> web_routes(Wallets& service, const agentbox::Guards& guards) {
  auto get = [&service](Request& request, Look wanted) { return look(service, request, std::move(wanted)); };
  auto post = [&service](Request& request, Do wanted) { return act(service, request, std::move(wanted)); };
  return {
      {web::GET, "/api/agent/mpp", guards.session, &mpp_rate,
       web::query<Look>(get).describe(
           "`action` is list-wallets ({success, wallets[], count}), get-wallet ({success, wallet}) or get-balance; the "
           "latter two with walletId. A balance needs the payment chain: 503 on a box that is connected to none."),
       "The caller's payment wallets"},
      {web::POST, "/api/agent/mpp", guards.session, &mpp_rate,
       web::body<Do>(post).describe(
           "`action` is create-wallet (`name`; its key is made and kept sealed on the box), register-wallet (`name`, "
           "`address`: a wallet whose key is elsewhere) or make-payment (`walletId`, `to`, `amount`). Answers "
           "{success, wallet}; 429 with current and limit beyond 20 wallets. A payment needs the payment chain: 503 on "
           "a box that is connected to none."),
       "Make, register or pay from a payment wallet"},
  };
}

}  // namespace mpp
