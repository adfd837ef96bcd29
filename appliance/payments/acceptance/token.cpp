#include "appliance/payments/acceptance/token.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/smart_wallet.h"
#include "appliance/foundation/crypto/keccak.h"

namespace eip3009 {

namespace {

constexpr std::chrono::minutes domain_life{10};

web::Error no_token(std::string why) {
  return web::unavailable("The payment token cannot be used right now, please try again later", std::move(why));
}

std::string separator_of(const Domain& domain, std::uint64_t chain_id, const crypto::EthereumAddress& contract) {
  static const std::string type =
      crypto::keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
  return crypto::keccak256(type + crypto::keccak256(domain.name) + crypto::keccak256(domain.version) +
                           chain::word(chain_id) + chain::word(contract));
}

}  // namespace

web::Task<web::Result<std::string>> Token::text(std::string function) {
  const auto returned = co_await rpc_.call(address_, chain::selector(function));
  if (!returned) co_return returned.error();
  auto decoded = chain::decode_string(*returned);
  if (!decoded) co_return no_token(address_.checksummed() + " answers no text to " + function);
  co_return std::move(*decoded);
}

web::Task<web::Result<Domain>> Token::read_domain() {
  auto name = co_await text("name()");
  if (!name) co_return name.error();
  auto version = co_await text("version()");
  if (!version) co_return version.error();
  Domain domain{.name = std::move(*name), .version = std::move(*version), .separator = {}};
  auto separator = co_await rpc_.call(address_, chain::selector("DOMAIN_SEPARATOR()"));
  if (!separator) co_return separator.error();
  if (*separator != separator_of(domain, rpc_.chain_id(), address_))
    co_return no_token("the signing domain of " + address_.checksummed() + " is not that of its name and version");
  domain.separator = std::move(*separator);
  co_return domain;
}

web::Task<web::Result<std::shared_ptr<const Domain>>> Token::domain() {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (domain_ && now - read_at_ < domain_life) co_return domain_;
  }
  auto read = co_await read_domain();
  if (!read) co_return read.error();
  auto domain = std::make_shared<const Domain>(std::move(*read));
  const std::lock_guard lock(mutex_);
  domain_ = domain;
  read_at_ = now;
  co_return domain;
}

web::Task<web::Result<bool>> Token::has_used(crypto::EthereumAddress payer, std::string nonce) {
  auto call = chain::selector("authorizationState(address,bytes32)") + chain::word(payer) + nonce;
  const auto returned = co_await rpc_.call(address_, std::move(call));
  if (!returned) co_return returned.error();
  const auto state = chain::small_number(*returned);
  if (!state) co_return no_token(address_.checksummed() + " does not know authorizations (EIP-3009)");
  co_return *state != 0;
}

web::Task<web::Result<std::string>> Token::balance_of(crypto::EthereumAddress account) const {
  auto returned = co_await rpc_.call(address_, chain::selector("balanceOf(address)") + chain::word(account));
  if (!returned) co_return returned.error();
  if (returned->size() != chain::word_bytes) co_return no_token(address_.checksummed() + " has no balances");
  co_return std::move(*returned);
}

web::Task<web::Result<bool>> Token::would_transfer(const Authorization& authorization) {
  const auto signature = chain::inner_signature(authorization.signature);
  if (!signature) co_return false;
  chain::Action action{.from = {}, .to = address_, .value = 0, .data = transfer_call(authorization, *signature)};
  const auto gas = co_await rpc_.estimate_gas(std::move(action));
  if (!gas) co_return gas.error();
  co_return gas->has_value();
}

}  // namespace eip3009
