#include "appliance/payments/transfers/sender.h"

#include <algorithm>
#include <stdexcept>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/ordered_id.h"

namespace transactions {

namespace {

constexpr std::chrono::milliseconds pause{500}, poll{100};
constexpr std::size_t longest_reference = 200;

bool is_same(const Transaction& known, const Request& request) {
  return known.owner == request.owner && known.wallet == request.wallet && known.to == request.to.checksummed() &&
         known.chain_id == static_cast<std::int64_t>(request.chain_id) && known.value == chain::to_hex(request.value) &&
         known.data == chain::to_hex(request.data);
}

Transaction transaction_of(const Request& request) {
  const auto now = store::now();
  return {.reference = request.reference,
          .owner = request.owner,
          .wallet = request.wallet,
          .from = request.from.checksummed(),
          .chain_id = static_cast<std::int64_t>(request.chain_id),
          .to = request.to.checksummed(),
          .value = chain::to_hex(request.value),
          .data = chain::to_hex(request.data),
          .pending = std::to_string(request.chain_id) + "/" + agentbox::ordered_id(now),
          .created_at = now,
          .updated_at = now};
}

web::Error used_for_another() {
  return {.kind = web::Kind::conflict,
          .message = "This reference was used for another transaction",
          .code = "REFERENCE_ALREADY_USED"};
}

}  // namespace

std::string_view name_of(State state) {
  return state == State::signed_ ? "signed" : boost::describe::enum_to_string(state, "");
}

Sender::Sender(store::System system, chains::Networks& networks, chains::Balances& balances, SignerOf signer_of,
               Policy policy, boost::asio::io_context& home)
    : system_(std::move(system)) {
  for (auto* network : networks.all()) {
    if (!network->rpc.is_configured() || serves(network->rpc.chain_id())) continue;
    followers_.push_back(std::make_unique<Follower>(system_, *network, balances, signer_of, policy));
    workers_.push_back(std::make_unique<agentbox::Periodic>(
        home, "transactions", pause, [follower = followers_.back().get()] { return follower->advance_all(); }));
  }
}

bool Sender::serves(std::uint64_t chain_id) const {
  return std::ranges::any_of(followers_, [&](const auto& one) { return one->chain_id() == chain_id; });
}

void Sender::start() {
  for (const auto& worker : workers_) worker->start();
}

web::Task<> Sender::stop() {
  for (const auto& worker : workers_) co_await worker->stop();
}

web::Task<web::Result<Transaction>> Sender::send(Request request) {
  std::vector<Request> requests;
  requests.push_back(std::move(request));
  auto sent = co_await send_all(std::move(requests));
  if (!sent) co_return sent.error();
  co_return std::move(sent->front());
}

web::Task<web::Result<std::vector<Transaction>>> Sender::send_all(std::vector<Request> requests) {
  for (const auto& request : requests) {
    if (request.reference.empty() || request.reference.size() > longest_reference)
      co_return web::invalid("The reference must have 1 to 200 characters");
    if (!serves(request.chain_id))
      co_return web::unavailable("This box is not connected to chain " + std::to_string(request.chain_id));
  }
  for (;;) {
    std::vector<Transaction> all;
    auto change = system_.change();
    std::size_t known = 0;
    for (const auto& request : requests) {
      if (auto found = find(request.reference)) {
        if (!is_same(*found, request)) co_return used_for_another();
        ++known;
        all.push_back(std::move(*found));
        continue;
      }
      all.push_back(transaction_of(request));
      change.insert(transactions_table, all.back());
    }
    if (known == requests.size()) co_return all;
    if (known > 0) co_return used_for_another();
    if ((co_await change.commit()).ok()) co_return all;
    // Another request was first: the next round finds what it did.
  }
}

std::optional<Transaction> Sender::find(std::string_view reference) const {
  auto row = system_.get(transactions_table, std::string(reference));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

web::Task<Transaction> Sender::until_in_block(std::string reference,
                                              std::chrono::steady_clock::duration at_most) const {
  const auto end = std::chrono::steady_clock::now() + at_most;
  for (;;) {
    auto found = find(reference);
    if (!found) throw std::logic_error("no transaction has the reference " + reference);
    if (is_final(found->state) || found->block || std::chrono::steady_clock::now() >= end) co_return std::move(*found);
    co_await web::sleep_for(poll);
  }
}

}  // namespace transactions
