#include "appliance/payments/eip3009/box_submitter.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/smart_wallet.h"
#include "appliance/payments/eip3009/arrival.h"

namespace eip3009 {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view wallet = "gateway";
constexpr auto longest_wait = 30s;
constexpr auto transaction_failed = "invalid_exact_evm_transaction_failed";

Submission refused(std::string reason) {
  return {.state = Submission::State::refused, .transaction = {}, .reason = std::move(reason)};
}

// One transaction for an authorization, however often it is submitted.
std::string reference_of(const Token& token, const Authorization& authorization) {
  return "authorization/" + token.network() + "/" + token.address().lower_case() + "/" +
         authorization.from.lower_case() + "/" + chain::to_hex(authorization.nonce);
}

}  // namespace

web::Task<> BoxSubmitter::open() { co_await wallets_.obtain(0, std::string(wallet)); }

std::string BoxSubmitter::address() const {
  const auto own = wallets_.find(0, wallet);
  return own ? own->address : std::string();
}

web::Task<Submission> BoxSubmitter::submit(Token& token, Authorization authorization) {
  const auto own = wallets_.find(0, wallet);
  const auto signature = chain::inner_signature(authorization.signature);
  if (!own || !signature) co_return refused(transaction_failed);
  transactions::Request request{.reference = reference_of(token, authorization),
                                .owner = 0,
                                .wallet = std::string(wallet),
                                .from = wallets::address_of(*own),
                                .chain_id = token.rpc().chain_id(),
                                .to = token.address(),
                                .value = {},
                                .data = transfer_call(authorization, *signature)};
  const auto reference = request.reference;
  const auto queued = co_await sender_.send(std::move(request));
  // Of a smart wallet there may be another signature of the same authorization: its transaction is as good.
  if (!queued && queued.error().kind != web::Kind::conflict) co_return Submission{};
  const auto sent = co_await sender_.until_in_block(reference, longest_wait);
  if (sent.hash.empty()) {
    if (sent.state == transactions::State::failed) co_return refused(transaction_failed);
    co_return Submission{};
  }
  const auto receipt = co_await token.rpc().receipt(sent.hash);
  if (!receipt || !*receipt) co_return Submission{};
  if (moves(**receipt, token.address(), authorization))
    co_return Submission{.state = Submission::State::settled, .transaction = sent.hash};
  if (!(*receipt)->has_succeeded) co_return refused(transaction_failed);
  co_return Submission{};  // a token that does not do what it says
}

}  // namespace eip3009
