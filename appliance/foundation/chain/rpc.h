// A chain as one node's JSON-RPC shows it, and the way to send transactions to it.
#pragma once

#include <atomic>
#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/ethereum.h"
#include "web/result.h"
#include "web/task.h"

namespace chain {

// The receipt of a transaction in a block; topics are words, data is raw bytes.
struct Receipt {
  struct Log {
    std::string contract;  // lower case
    std::vector<std::string> topics;
    std::string data;
  };
  bool has_succeeded = false;
  std::vector<Log> logs;
  std::optional<std::uint64_t> block;
  std::optional<std::string> block_hash;  // 32 raw bytes
};

// Prices of gas in wei.
struct Fees {
  std::uint64_t base = 0;      // of the latest block
  std::uint64_t priority = 0;  // what the node suggests to add
};

struct Block {
  std::uint64_t number = 0;
  std::string hash;             // 32 raw bytes
  std::uint64_t timestamp = 0;  // seconds
  std::uint64_t base_fee = 0;   // wei
};

// What a call or a transaction does. Without `to` it creates a contract.
struct Action {
  std::optional<crypto::EthereumAddress> from, to;
  std::uint64_t value = 0;  // wei
  std::string data;
};

// What a node says to a signed transaction.
struct SendOutcome {
  enum class Kind {
    accepted,            // it is new to the node, or was known
    nonce_used,          // a transaction with this nonce is in a block: this one or another
    underpriced,         // the fee is too low, or not enough above that of the transaction it would replace
    insufficient_funds,  // for value and gas
    refused              // for another reason
  };
  Kind kind = Kind::accepted;
  std::string reason{};  // the node's words
};

// Callable from every thread. Every call reads the latest block and returns within five seconds. Errors: unavailable if
// no node is configured, if it is on another chain, and if it cannot be reached.
class Rpc {
 public:
  // `url` may be empty: no node is configured. `setting`: the name of its setting, for errors.
  Rpc(std::string url, std::uint64_t chain_id, std::string setting)
      : url_(std::move(url)), chain_id_(chain_id), setting_(std::move(setting)) {}

  bool is_configured() const { return !url_.empty(); }
  std::uint64_t chain_id() const { return chain_id_; }

  web::Task<web::Result<bool>> has_code(crypto::EthereumAddress);
  // The result of a call; empty if it reverts.
  web::Task<web::Result<std::string>> call(crypto::EthereumAddress to, std::string data);
  // The code that creating a contract with this code would produce; nothing is created. Empty if it reverts.
  web::Task<web::Result<std::string>> call_creation(std::string code);
  // Nothing for a transaction that is not in a block. `hash`: 0x and 64 hex digits.
  web::Task<web::Result<std::optional<Receipt>>> receipt(std::string hash);

  web::Task<web::Result<Block>> latest_block();
  // Nothing if the chain has no such block.
  web::Task<web::Result<std::optional<Block>>> block(std::uint64_t number);
  // In wei: a word.
  web::Task<web::Result<std::string>> native_balance(crypto::EthereumAddress);
  // The number of the account's transactions in blocks, which is the nonce of its next.
  web::Task<web::Result<std::uint64_t>> transaction_count(crypto::EthereumAddress);
  web::Task<web::Result<Fees>> fees();
  // Nothing if the action would fail.
  web::Task<web::Result<std::optional<std::uint64_t>>> estimate_gas(Action);
  web::Task<web::Result<SendOutcome>> send(std::string signed_transaction);
  // The hashes, 0x and 64 hex digits, of the transactions from block `first` on in which the contract logged an event
  // that begins with these topics.
  web::Task<web::Result<std::vector<std::string>>> transactions_with_event(crypto::EthereumAddress contract,
                                                                           std::vector<std::string> topics,
                                                                           std::uint64_t first);

 private:
  // What the node answers: a result, or an error of its own.
  struct Reply {
    boost::json::value result;
    std::optional<boost::json::object> error;
  };
  web::Task<web::Result<Reply>> exchange(std::string method, boost::json::array params);
  // The result; null also for a reverted call, since no call returns null otherwise.
  web::Task<web::Result<boost::json::value>> ask(std::string method, boost::json::array params);
  web::Task<web::Result<boost::json::value>> ask_chain(std::string method, boost::json::array params);
  web::Task<web::Result<std::uint64_t>> ask_number(std::string method, boost::json::array params);
  web::Task<web::Result<std::optional<Block>>> ask_block(std::string which);
  web::Task<web::Result<void>> check_chain();
  web::Task<web::Result<std::string>> call(boost::json::object transaction);

  const std::string url_;
  const std::uint64_t chain_id_;
  const std::string setting_;
  std::atomic<bool> chain_checked_ = false;
};

}  // namespace chain
