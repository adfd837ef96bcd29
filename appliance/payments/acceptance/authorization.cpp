#include "appliance/payments/acceptance/authorization.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/chain/uint256.h"
#include "appliance/foundation/crypto/keccak.h"
#include "web/routes/fields.h"

namespace eip3009 {

namespace {

constexpr std::size_t max_signature_bytes = 8 * 1024, key_signature_bytes = 65;

struct Fields {
  web::Text<1, 64> from, to;
  web::Text<1, 80> value, validAfter, validBefore;
  web::Text<1, 80> nonce;
};
BOOST_DESCRIBE_STRUCT(Fields, (), (from, to, value, validAfter, validBefore, nonce))

web::Error wrong(std::string_view where, std::string_view field, std::string_view rule) {
  return web::invalid(std::string(where).append(".").append(field).append(" must be ").append(rule));
}

constexpr std::string_view an_address = "0x and 40 hex digits with a valid checksum";
constexpr std::string_view a_number = "a whole number of at most 256 bits, in decimal digits";

// v as 27 or 28, as a word.
std::string recovery_word(char v) {
  const auto parity = static_cast<unsigned char>(v);
  return chain::word(parity < 27 ? parity + 27u : parity);
}

std::string arguments(const Authorization& one) {
  return chain::word(one.from) + chain::word(one.to) + one.value + one.valid_after + one.valid_before + one.nonce;
}

}  // namespace

web::Result<Authorization> parse_authorization(const boost::json::value& json, std::string_view signature,
                                               std::string_view where) {
  const auto fields = web::parse_value<Fields>(json, where);
  if (!fields) return fields.error();
  const auto from = crypto::EthereumAddress::parse(fields->from), to = crypto::EthereumAddress::parse(fields->to);
  if (!from) return wrong(where, "from", an_address);
  if (!to) return wrong(where, "to", an_address);
  auto value = chain::word_of_digits(fields->value);
  if (!value) return wrong(where, "value", a_number);
  auto valid_after = chain::word_of_digits(fields->validAfter);
  if (!valid_after) return wrong(where, "validAfter", a_number);
  auto valid_before = chain::word_of_digits(fields->validBefore);
  if (!valid_before) return wrong(where, "validBefore", a_number);
  auto nonce = chain::from_hex(fields->nonce);
  if (!nonce || nonce->size() != chain::word_bytes) return wrong(where, "nonce", "0x and 64 hex digits");
  auto bytes = chain::from_hex(signature);
  if (!bytes || bytes->empty() || bytes->size() > max_signature_bytes)
    return web::invalid("The payment's signature must be 0x and hex digits");
  return Authorization{.from = *from,
                       .to = *to,
                       .value = std::move(*value),
                       .valid_after = std::move(*valid_after),
                       .valid_before = std::move(*valid_before),
                       .nonce = std::move(*nonce),
                       .signature = std::move(*bytes)};
}

boost::json::object to_json(const Authorization& one) {
  return {{"from", one.from.checksummed()},
          {"to", one.to.checksummed()},
          {"value", chain::to_digits(one.value)},
          {"validAfter", chain::to_digits(one.valid_after)},
          {"validBefore", chain::to_digits(one.valid_before)},
          {"nonce", chain::to_hex(one.nonce)}};
}

std::string digest(const Authorization& one, std::string_view separator) {
  static const std::string type = crypto::keccak256(
      "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 "
      "nonce)");
  std::string framed("\x19\x01", 2);
  return crypto::keccak256(framed.append(separator).append(crypto::keccak256(type + arguments(one))));
}

std::string transfer_call(const Authorization& one, std::string_view signature) {
  static const std::string with_parts = chain::selector(
      "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)");
  static const std::string with_bytes =
      chain::selector("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)");
  constexpr std::size_t word = chain::word_bytes, heads = 7;
  if (signature.size() == key_signature_bytes) {
    auto call = with_parts + arguments(one) + recovery_word(signature.back());
    return call.append(signature.substr(0, 2 * word));
  }
  return with_bytes + arguments(one) + chain::word(heads * word) + chain::tail_bytes(signature);
}

}  // namespace eip3009
