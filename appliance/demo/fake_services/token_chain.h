// An Ethereum-like chain without a virtual machine: accounts with coins, one ERC-20 token with six decimals, and a
// block every two seconds. Each account that is asked about begins with one coin and 100 tokens.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/ethereum.h"
#include "web/result.h"

namespace demo {

// Amounts are wei, and 0.000001 of a token. Used on one thread.
class TokenChain {
 public:
  static constexpr std::uint64_t id = 31'337;  // the number of local chains of development tools
  static constexpr std::uint64_t base_fee = 1'000'000'000, transfer_gas = 21'000, token_gas = 60'000;

  struct Transaction {
    std::string hash;  // 32 raw bytes
    std::uint64_t block = 0;
    std::string from, to;  // lower case
    std::uint64_t value = 0;
    bool is_of_token = false, has_succeeded = false;  // is_of_token: `to` and `value` are of the token's transfer
  };

  // The token's contract.
  static const crypto::EthereumAddress& token();

  std::uint64_t head() const;  // the latest block's number
  static std::string hash_of_block(std::uint64_t number);
  std::uint64_t coins_of(const std::string& account) { return account_of(account).coins; }
  std::uint64_t tokens_of(const std::string& account) { return account_of(account).tokens; }
  std::uint64_t transactions_of(const std::string& account) const;  // in blocks

  // Takes a signed transaction of type 2 (EIP-1559) into the next block, and returns its hash. An error, in the words
  // of common nodes: it is malformed, or not acceptable now.
  web::Result<std::string> take(std::string_view raw);
  const Transaction* find(std::string_view hash) const;              // in a block; null: not yet, or unknown
  std::vector<const Transaction*> since(std::uint64_t block) const;  // in blocks from this on

 private:
  struct Account {
    std::uint64_t coins = 1'000'000'000'000'000'000, tokens = 100'000'000;
    std::uint64_t next_nonce = 0;
  };
  Account& account_of(const std::string& address) { return accounts_[address]; }

  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::map<std::string, Account> accounts_;
  std::vector<Transaction> transactions_;  // ascending by block
};

}  // namespace demo
