#include "appliance/media/streams/radio_gate.h"

namespace streams {

web::Task<web::Result<void>> RadioGate::check_proof(const StreamRequester& requester) {
  if (!requester.message && !requester.signature && !policy_.requires_proof) co_return web::Result<void>();
  if (!requester.message) co_return web::invalid("message is required: sign one as at wallet sign-in");
  if (!requester.signature) co_return web::invalid("signature is required");
  wallet_sign_in::Proof proof{
      .address = requester.wallet, .message = *requester.message, .signature = *requester.signature};
  const auto signer = co_await wallets_.verify(std::move(proof));
  if (!signer) co_return signer.error();
  co_return web::Result<void>();
}

web::Task<web::Result<void>> RadioGate::admit(StreamRequester requester) {
  const auto address = crypto::EthereumAddress::parse(requester.wallet);
  if (!address) co_return web::invalid("wallet must be 0x and 40 hex digits; in mixed case with its checksum");
  const auto proven = co_await check_proof(requester);
  if (!proven) co_return proven.error();
  if (!policy_.asks_for_tokens) co_return web::Result<void>();
  const auto holding = co_await gating_.holding_of(*address);
  if (!holding) co_return web::internal(holding.error().message, holding.error().detail);
  if (holding->is_enough) co_return web::Result<void>();
  web::Error error = web::forbidden("The wallet holds too few tokens to create a stream.");
  error.extra["balance"] = holding->balance;
  error.extra["required"] = holding->required;
  co_return error;
}

}  // namespace streams
