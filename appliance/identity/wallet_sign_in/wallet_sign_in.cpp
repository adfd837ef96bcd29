#include "appliance/identity/wallet_sign_in/wallet_sign_in.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/smart_wallet.h"

namespace wallet_sign_in {

namespace {

// How far the clocks of a wallet and the box may differ.
constexpr std::chrono::seconds clock_skew{60};
constexpr std::size_t max_signature_bytes = 16 * 1024;

web::Error refused(std::string why) { return web::unauthenticated("The sign-in message " + std::move(why)); }

}  // namespace

std::optional<web::Error> WalletSignIn::refuse(const Message& message, store::Time now) const {
  const std::string scheme =
      message.scheme.empty() ? site_.origin().substr(0, site_.origin().find(':')) : message.scheme;
  if (!site_.is_ours(scheme + "://" + message.domain)) return refused("is for another site");
  if (!site_.is_ours(agentbox::origin_of(message.uri))) return refused("has the URI of another site");
  if (message.chain_id != rpc_.chain_id()) return refused("is for another chain");
  if (message.issued_at > now + clock_skew) return refused("was issued in the future");
  if (message.expires_at && *message.expires_at <= now) return refused("has expired");
  if (message.not_before && *message.not_before > now + clock_skew) return refused("is not valid yet");
  if (!nonces_.valid_until(message.nonce, now)) return refused("has a nonce that is not ours or too old");
  return std::nullopt;
}

// The key of an externally owned account controls it, also with delegated contract code (EIP-7702): recovering the
// signer does not need the chain.
web::Task<web::Result<bool>> WalletSignIn::is_signed(const Message& message, std::string text, std::string signature) {
  const std::string digest = crypto::personal_message_digest(text);
  if (crypto::recover_signer(digest, signature) == message.address) co_return true;
  if (!rpc_.is_configured()) {
    if (signature.size() == 65) co_return false;
    co_return web::unavailable(
        "Smart wallets need a chain to be asked, and none is configured on this box: set L2_RPC_URL");
  }
  co_return co_await chain::contract_accepts(rpc_, message.address, digest, std::move(signature));
}

web::Task<web::Result<crypto::EthereumAddress>> WalletSignIn::verify(Proof proof) {
  const auto address = crypto::EthereumAddress::parse(proof.address);
  if (!address) co_return web::invalid("address is not a wallet's address");
  const auto signature = chain::from_hex(proof.signature);
  if (!signature || signature->empty() || signature->size() > max_signature_bytes)
    co_return web::invalid("signature must be 0x and hex digits");
  const auto message = parse_message(proof.message);
  if (!message) co_return message.error();
  if (message->address != *address) co_return web::invalid("address is not the one of the message");

  const auto now = store::now();
  if (auto error = refuse(*message, now)) co_return std::move(*error);
  const auto is_theirs = co_await is_signed(*message, proof.message, *signature);
  if (!is_theirs) co_return is_theirs.error();
  if (!*is_theirs) co_return refused("was not signed by this wallet");
  const bool is_first = co_await nonces_.use(message->nonce, now);
  if (!is_first) co_return refused("was used before");
  co_return *address;
}

web::Task<web::Result<accounts::User>> WalletSignIn::sign_in(Proof proof) {
  const auto since = identities_.session_epoch();
  auto invite_code = proof.invite_code;
  const auto address = co_await verify(std::move(proof));
  if (!address) co_return address.error();
  co_return co_await identities_.sign_in_wallet(address->lower_case(), since, std::move(invite_code));
}

}  // namespace wallet_sign_in
