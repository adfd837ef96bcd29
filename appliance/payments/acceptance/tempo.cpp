#include "appliance/payments/acceptance/tempo.h"

#include <algorithm>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/payments/acceptance/rlp.h"

namespace mpp {

namespace json = boost::json;

namespace {

constexpr char transaction_type = '\x76';

const std::string& transfer_with_memo_event() {
  static const std::string topic = crypto::keccak256("TransferWithMemo(address,address,uint256,bytes32)");
  return topic;
}

// A big-endian number without leading zeros.
std::optional<std::uint64_t> number_in(const RlpItem& item) {
  if (item.is_list || item.content.size() > sizeof(std::uint64_t) || item.content.starts_with('\0'))
    return std::nullopt;
  std::uint64_t number = 0;
  for (const char byte : item.content) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::optional<TempoTransaction::Call> read_call(const RlpItem& item) {
  const auto parts = item.is_list ? read_rlp(item.content) : std::nullopt;
  if (!parts || parts->size() != 3 || std::ranges::any_of(*parts, &RlpItem::is_list)) return std::nullopt;
  return TempoTransaction::Call{.to = std::string((*parts)[0].content), .data = std::string((*parts)[2].content)};
}

}  // namespace

std::optional<crypto::EthereumAddress> payer_in(const chain::Receipt& receipt, const Transfer& transfer) {
  if (!receipt.has_succeeded) return std::nullopt;
  const auto token = transfer.token.lower_case(), receiver = chain::word(transfer.receiver);
  for (const auto& log : receipt.logs) {
    const bool is_transfer = log.contract == token && log.topics.size() == 4 &&
                             log.topics[0] == transfer_with_memo_event() && log.topics[2] == receiver &&
                             log.data == transfer.amount;
    if (!is_transfer || !is_memo_of(log.topics[3], transfer.realm, transfer.challenge_id)) continue;
    constexpr std::size_t padding = 12;
    const auto payer = crypto::EthereumAddress::parse(chain::to_hex(log.topics[1].substr(padding)));
    if (payer && (!transfer.payer || *transfer.payer == *payer)) return payer;
  }
  return std::nullopt;
}

// chain id, two fees, gas, calls, access list, nonce key, nonce, two ends of validity, fee token, the fee payer's
// signature, authorizations, perhaps a key authorization, and the signature.
std::optional<TempoTransaction> parse_tempo_transaction(std::string_view raw) {
  constexpr std::size_t calls_at = 4, fee_payer_at = 11, fewest = 14, most = 15;
  if (!raw.starts_with(transaction_type)) return std::nullopt;
  const auto outer = read_rlp(raw.substr(1));
  if (!outer || outer->size() != 1 || !outer->front().is_list) return std::nullopt;
  const auto fields = read_rlp(outer->front().content);
  if (!fields || fields->size() < fewest || fields->size() > most) return std::nullopt;
  const auto chain_id = number_in(fields->front());
  const auto& listed = (*fields)[calls_at];
  const auto calls = listed.is_list ? read_rlp(listed.content) : std::nullopt;
  if (!chain_id || !calls) return std::nullopt;
  TempoTransaction transaction{
      .chain_id = *chain_id, .calls = {}, .wants_fee_payer = !(*fields)[fee_payer_at].content.empty()};
  for (const auto& item : *calls) {
    auto call = read_call(item);
    if (!call) return std::nullopt;
    transaction.calls.push_back(std::move(*call));
  }
  return transaction;
}

bool makes(const TempoTransaction& transaction, const Transfer& transfer) {
  static const std::string function = chain::selector("transferWithMemo(address,uint256,bytes32)");
  const std::string head = function + chain::word(transfer.receiver) + transfer.amount;
  return std::ranges::any_of(transaction.calls, [&](const TempoTransaction::Call& call) {
    return call.to == transfer.token.bytes() && call.data.starts_with(head) &&
           is_memo_of(std::string_view(call.data).substr(head.size()), transfer.realm, transfer.challenge_id);
  });
}

json::object tempo_request(const crypto::EthereumAddress& token, const crypto::EthereumAddress& receiver,
                           std::string_view amount) {
  json::object details{{"chainId", tempo_chain_id}, {"supportedModes", json::array{"pull", "push"}}};
  return {{"amount", amount},
          {"currency", token.checksummed()},
          {"recipient", receiver.checksummed()},
          {"methodDetails", std::move(details)}};
}

std::optional<crypto::EthereumAddress> account_of(std::string_view source, std::uint64_t chain_id) {
  const std::string prefix = "did:pkh:eip155:" + std::to_string(chain_id) + ":";
  if (!source.starts_with(prefix)) return std::nullopt;
  return crypto::EthereumAddress::parse(source.substr(prefix.size()));
}

bool is_memo_of(std::string_view memo, std::string_view realm, std::string_view challenge_id) {
  constexpr std::size_t tag_bytes = 4, realm_bytes = 10, client_bytes = 10, nonce_bytes = 7;
  if (memo.size() != chain::word_bytes) return false;
  std::string head = crypto::keccak256("mpp").substr(0, tag_bytes);
  head += '\x01';
  head += crypto::keccak256(realm).substr(0, realm_bytes);
  return memo.starts_with(head) &&
         memo.substr(head.size() + client_bytes) == crypto::keccak256(challenge_id).substr(0, nonce_bytes);
}

}  // namespace mpp
