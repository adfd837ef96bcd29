// Reading a chain through one node's JSON-RPC.
#pragma once

#include <atomic>
#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "appliance/crypto/ethereum.h"
#include "web/result.h"
#include "web/task.h"

namespace chain {

// Callable from every thread. Everything reads the latest block and answers within five seconds. Errors: unavailable
// when no node is configured, when it is on another chain, and when it cannot be asked.
class Rpc {
 public:
  // `url` may be empty: then there is no chain.
  Rpc(std::string url, std::uint64_t chain_id) : url_(std::move(url)), chain_id_(chain_id) {}

  bool is_configured() const { return !url_.empty(); }
  std::uint64_t chain_id() const { return chain_id_; }

  web::Task<web::Result<bool>> has_code(crypto::EthereumAddress);
  // What a call would return; empty when it reverts.
  web::Task<web::Result<std::string>> call(crypto::EthereumAddress to, std::string data);
  // What the creation of a contract with this code would leave as its code; nothing is created. Empty when it reverts.
  web::Task<web::Result<std::string>> call_creation(std::string code);

 private:
  web::Task<web::Result<boost::json::value>> ask(std::string method, boost::json::array params);
  web::Task<web::Result<void>> check_chain();
  web::Task<web::Result<std::string>> call(boost::json::object transaction);

  const std::string url_;
  const std::uint64_t chain_id_;
  std::atomic<bool> chain_checked_ = false;
};

}  // namespace chain
