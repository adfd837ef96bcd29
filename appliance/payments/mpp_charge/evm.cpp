#include "appliance/payments/mpp_charge/evm.h"

#include "appliance/foundation/crypto/keccak.h"

namespace mpp_charge {

namespace json = boost::json;

namespace {

constexpr std::int64_t usdc_decimals = 6;

std::string text_in(const json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

}  // namespace

json::object evm_request(std::uint64_t chain_id, const crypto::EthereumAddress& token,
                         const crypto::EthereumAddress& receiver, std::string_view amount) {
  json::object details{
      {"chainId", chain_id}, {"credentialTypes", json::array{"authorization"}}, {"decimals", usdc_decimals}};
  return {{"amount", amount},
          {"currency", token.checksummed()},
          {"recipient", receiver.checksummed()},
          {"methodDetails", std::move(details)}};
}

web::Result<eip3009::Authorization> authorization_of(const Credential& credential) {
  const auto& payload = credential.payload;
  if (text_in(payload, "type") != "authorization") return web::invalid("payload.type must be authorization");
  auto authorization = eip3009::parse_authorization(json::value(payload), text_in(payload, "signature"), "payload");
  if (!authorization) return authorization.error();
  const auto& challenge = credential.challenge;
  if (authorization->nonce != crypto::keccak256(challenge.id + challenge.realm))
    return web::invalid("payload.nonce must be the hash of the challenge");
  return authorization;
}

}  // namespace mpp_charge
