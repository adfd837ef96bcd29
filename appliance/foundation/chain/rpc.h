// Reading a chain through one node's JSON-RPC.
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

 private:
  web::Task<web::Result<boost::json::value>> ask(std::string method, boost::json::array params);
  web::Task<web::Result<void>> check_chain();
  web::Task<web::Result<std::string>> call(boost::json::object transaction);

  const std::string url_;
  const std::uint64_t chain_id_;
  const std::string setting_;
  std::atomic<bool> chain_checked_ = false;
};

}  // namespace chain
