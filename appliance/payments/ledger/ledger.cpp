#include "appliance/payments/ledger/ledger.h"

#include <map>
#include <set>
#include <stdexcept>

#include "appliance/foundation/ordered_id.h"

namespace ledger {

namespace {

constexpr std::size_t longest_reference = 200;
constexpr std::string_view counter_prefix = "ledger/";

// Holds the balance with its sign turned, since counters have an upper bound and no lower one.
store::CounterName debt_of(const Account& account) { return {std::string(counter_prefix) + account.name}; }

std::int64_t highest_debt(const Account& account) { return account == outside() ? Usdc::max_micro : 0; }

web::Result<void> check(const Order& order) {
  if (!order.amount.is_positive()) return web::invalid("The amount must be more than 0");
  if (order.from == order.to) return web::invalid("Payer and receiver are the same account");
  if (order.reference.empty() || order.reference.size() > longest_reference)
    return web::invalid("The reference must have 1 to 200 characters");
  return {};
}

bool is_same(const Transfer& made, const Order& order) {
  return Account{made.from_owner, made.from} == order.from && Account{made.to_owner, made.to} == order.to &&
         made.amount == order.amount.micro();
}

web::Error used_for_another() {
  return {.kind = web::Kind::conflict,
          .message = "This reference was used for another transfer",
          .code = "REFERENCE_ALREADY_USED"};
}

Entry entry_of(const Transfer& transfer, const Account& account, const Account& other, std::int64_t amount) {
  return {.owner = account.owner,
          .id = account.name + "/" + agentbox::ordered_id(transfer.at),
          .amount = amount,
          .other_owner = other.owner,
          .other = other.name,
          .reference = transfer.reference,
          .memo = transfer.memo,
          .at = transfer.at};
}

// The transfers if all of them were made, nothing if none was.
web::Result<std::optional<std::vector<Transfer>>> made_before(const Ledger& ledger, const std::vector<Order>& orders) {
  std::vector<Transfer> made;
  for (const auto& order : orders) {
    auto found = ledger.find(order.reference);
    if (!found) continue;
    if (!is_same(*found, order)) return used_for_another();
    made.push_back(std::move(*found));
  }
  if (made.empty()) return std::nullopt;
  if (made.size() < orders.size()) return used_for_another();
  return made;
}

std::string account_name(const Entry& entry) { return entry.id.substr(0, entry.id.rfind('/')); }

}  // namespace

Account of_user(store::UserId user) { return {user, "user"}; }
Account of_agent(store::UserId owner, std::string_view agent) { return {owner, "agent/" + std::string(agent)}; }
Account of_box(std::string_view name) { return {0, std::string(name)}; }
Account outside() { return {0, "outside"}; }

Usdc Ledger::balance(const Account& account) const {
  return -Usdc::of_micro(system_.counter(account.owner, debt_of(account)));
}

std::vector<Entry> Ledger::history(const Account& account, const Page& page) const {
  const std::string prefix = account.name + "/";
  // Ids begin with a digit, so ':' is behind all of them.
  const std::string after = page.before.starts_with(prefix) ? page.before : prefix + ":";
  auto found = system_.tenant(account.owner).list(entries, {.limit = page.limit, .after = after, .newest_first = true});
  std::erase_if(found, [&](const Entry& entry) { return account_name(entry) != account.name; });
  return found;
}

std::optional<Transfer> Ledger::find(std::string_view reference) const {
  auto row = system_.get(transfers, std::string(reference));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

web::Task<web::Result<Transfer>> Ledger::transfer(Order order) {
  std::vector<Order> orders;
  orders.push_back(std::move(order));
  auto made = co_await transfer_all(std::move(orders));
  if (!made) co_return made.error();
  co_return std::move(made->front());
}

web::Task<web::Result<std::vector<Transfer>>> Ledger::transfer_all(std::vector<Order> orders) {
  if (orders.empty()) co_return std::vector<Transfer>();
  std::set<std::string_view> references;
  for (const auto& order : orders) {
    if (const auto checked = check(order); !checked) co_return checked.error();
    if (!references.insert(order.reference).second) co_return used_for_another();
  }
  for (;;) {
    auto earlier = made_before(*this, orders);
    if (!earlier) co_return earlier.error();
    if (*earlier) co_return std::move(**earlier);
    auto change = system_.change();
    std::vector<Transfer> made;
    made.reserve(orders.size());
    for (const auto& order : orders) made.push_back(post(change, order));
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return made;
    auto refused = refusal(outcome);
    if (!refused) throw std::logic_error("a transfer was refused by the store: " + outcome.index);
    if (refused->code != used_for_another().code) co_return std::move(*refused);
    // Another request was first: the next round finds what it did.
  }
}

Transfer Ledger::post(store::Change& change, const Order& order) const {
  if (const auto checked = check(order); !checked) throw std::invalid_argument(checked.error().message);
  Transfer transfer{.reference = order.reference,
                    .from_owner = order.from.owner,
                    .from = order.from.name,
                    .to_owner = order.to.owner,
                    .to = order.to.name,
                    .amount = order.amount.micro(),
                    .memo = order.memo,
                    .at = store::now()};
  change.insert(transfers, transfer);
  change.insert_new(entries, entry_of(transfer, order.from, order.to, -transfer.amount));
  change.insert_new(entries, entry_of(transfer, order.to, order.from, transfer.amount));
  change.add(order.from.owner, debt_of(order.from), transfer.amount, highest_debt(order.from));
  change.add(order.to.owner, debt_of(order.to), -transfer.amount);
  return transfer;
}

std::optional<web::Error> Ledger::refusal(const store::Outcome& outcome) {
  if (outcome.kind == store::Outcome::Kind::over_bound && outcome.index.starts_with(counter_prefix))
    return web::Error{.kind = web::Kind::payment_required,
                      .message = "The balance is too low for this payment",
                      .code = "INSUFFICIENT_BALANCE"};
  if (outcome.duplicate("id")) return used_for_another();
  return std::nullopt;
}

std::vector<std::string> Ledger::differences() const {
  struct Sums {
    std::int64_t entries = 0, balance = 0;
  };
  std::map<Account, Sums> accounts;
  std::int64_t total = 0;
  const auto moment = system_.moment();
  moment.each(entries, [&](const Entry& entry) {
    accounts[{entry.owner, account_name(entry)}].entries += entry.amount;
    total += entry.amount;
    return true;
  });
  moment.each_counter(counter_prefix,
                      [&](store::UserId owner, std::string_view name, const store::CounterFields& debt) {
                        accounts[{owner, std::string(name.substr(counter_prefix.size()))}].balance = -debt[0];
                      });
  std::vector<std::string> found;
  if (total != 0) found.push_back("All entries sum to " + std::to_string(total) + " micro-USDC instead of 0");
  for (const auto& [account, sums] : accounts) {
    if (sums.balance != sums.entries)
      found.push_back("Account " + account.name + " of " + std::to_string(account.owner) + " has a balance of " +
                      std::to_string(sums.balance) + " micro-USDC, but its entries sum to " +
                      std::to_string(sums.entries));
  }
  return found;
}

}  // namespace ledger
