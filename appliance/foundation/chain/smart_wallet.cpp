#include "appliance/foundation/chain/smart_wallet.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/crypto/random.h"

namespace chain {

namespace {

constexpr std::size_t mark_bytes = 32;

// isValidSignature(bytes32,bytes): its selector, and the value it returns for a signature that is the wallet's.
const std::string is_valid_signature = crypto::unhex("1626ba7e");
const std::string accepted_word = is_valid_signature + std::string(word_bytes - is_valid_signature.size(), '\0');

std::string mark() {
  std::string bytes;
  while (bytes.size() < mark_bytes) bytes += crypto::unhex("6492");
  return bytes;
}

std::string question(const std::string& digest, std::string_view signature) {
  return is_valid_signature + digest + word(2 * word_bytes) + tail_bytes(signature);
}

// Assembles the few instructions that the program below is made of.
class Assembler {
 public:
  Assembler& op(unsigned char code) {
    code_ += static_cast<char>(code);
    return *this;
  }
  Assembler& push(std::uint32_t number) {
    op(0x63);  // PUSH4
    for (int shift = 24; shift >= 0; shift -= 8) op(static_cast<unsigned char>(number >> shift));
    return *this;
  }
  Assembler& push(const crypto::EthereumAddress& address) {
    op(0x73);  // PUSH20
    code_ += address.bytes();
    return *this;
  }
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

// Creation code that calls `factory`, then asks `wallet`, and returns two words: what the wallet returned (0 when it
// reverted) and how many bytes that were. It runs inside one eth_call, so what the factory deploys exists for the
// question and is gone after it, and no helper contract has to be on the chain.
std::string deploy_and_ask(const crypto::EthereumAddress& factory, std::string_view deployment,
                           const crypto::EthereumAddress& wallet, std::string_view asked) {
  constexpr unsigned char mul = 0x02, codecopy = 0x39, returndatasize = 0x3d, returndatacopy = 0x3e, pop = 0x50,
                          mload = 0x51, mstore = 0x52, gas = 0x5a, call = 0xf1, return_ = 0xf3, staticcall = 0xfa;
  const auto deployment_size = static_cast<std::uint32_t>(deployment.size());
  const auto asked_size = static_cast<std::uint32_t>(asked.size());
  const auto program = [&](std::uint32_t data) {
    Assembler code;
    code.push(deployment_size).push(data).push(0u).op(codecopy);
    code.push(0u).push(0u).push(deployment_size).push(0u).push(0u).push(factory).op(gas).op(call).op(pop);
    code.push(asked_size).push(data + deployment_size).push(0u).op(codecopy);
    code.push(0u).push(0u).push(asked_size).push(0u).push(wallet).op(gas).op(staticcall);
    // The stack holds whether the wallet returned. Its word takes the place of the question in memory.
    code.push(0u).push(0u).op(mstore);
    code.op(returndatasize).push(0u).push(0u).op(returndatacopy);
    code.push(0u).op(mload).op(mul).push(0u).op(mstore);
    code.op(returndatasize).push(32u).op(mstore);
    code.push(64u).push(0u).op(return_);
    return code.code();
  };
  // The program's length does not depend on where its data begins.
  const auto length = static_cast<std::uint32_t>(program(0).size());
  std::string code = program(length);
  code += deployment;
  code += asked;
  return code;
}

// `signature` ends in the mark.
std::optional<AddressAndTwoBytes> unwrapped(std::string_view signature) {
  return decode_address_and_two_bytes(signature.substr(0, signature.size() - mark_bytes));
}

bool is_accepted(std::string_view returned) {
  return returned.size() >= word_bytes && returned.substr(0, word_bytes) == accepted_word;
}

}  // namespace

bool is_for_undeployed_wallet(std::string_view signature) { return signature.ends_with(mark()); }

std::optional<std::string> inner_signature(std::string_view signature) {
  if (!is_for_undeployed_wallet(signature)) return std::string(signature);
  auto deployment = unwrapped(signature);
  if (!deployment) return std::nullopt;
  return std::move(deployment->second);
}

web::Task<web::Result<bool>> contract_accepts(Rpc& rpc, crypto::EthereumAddress wallet, std::string digest,
                                              std::string signature) {
  const auto has_code = co_await rpc.has_code(wallet);
  if (!has_code) co_return has_code.error();

  std::optional<AddressAndTwoBytes> deployment;
  std::string inner = signature;
  if (is_for_undeployed_wallet(signature)) {
    deployment = unwrapped(signature);
    if (!deployment) co_return false;
    inner = deployment->second;
  }
  const std::string asked = question(digest, inner);
  if (*has_code) {
    const auto returned = co_await rpc.call(wallet, asked);
    if (!returned) co_return returned.error();
    if (is_accepted(*returned)) co_return true;
  }
  // A wallet that is deployed but not prepared for this signature gets the same chance as one that is not deployed.
  if (!deployment) co_return false;
  const auto returned =
      co_await rpc.call_creation(deploy_and_ask(deployment->address, deployment->first, wallet, asked));
  if (!returned) co_return returned.error();
  if (returned->size() != 2 * word_bytes) co_return false;
  const auto size = small_number(std::string_view(*returned).substr(word_bytes));
  co_return is_accepted(*returned) && size&&* size >= word_bytes;
}

}  // namespace chain
