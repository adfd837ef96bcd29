#include "appliance/foundation/chain/rpc_answers.h"

#include <charconv>

#include "appliance/foundation/chain/abi.h"
#include "web/json.h"

namespace chain {

web::Error no_answer(std::string detail) {
  return web::unavailable("The chain's RPC endpoint is unreachable, please try again later", std::move(detail));
}

// JSON-RPC has no code for "the call reverted" that all nodes share: 3 is geth's, other nodes say so in the message.
bool is_revert(const boost::json::object& error) {
  const auto* code = error.if_contains("code");
  if (code != nullptr && code->is_int64() && code->get_int64() == 3) return true;
  const std::string text = web::string_member(error, "message");
  for (const std::string_view word : {"revert", "invalid opcode", "out of gas", "VM Exception"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

std::optional<std::uint64_t> quantity(const boost::json::value& value) {
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = value.get_string();
  std::uint64_t number = 0;
  if (!text.starts_with("0x") || text.size() < 3) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> number_in(const boost::json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found != nullptr ? quantity(*found) : std::nullopt;
}

std::optional<std::string> bytes_in(const boost::json::object& object, std::string_view name) {
  const auto* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? from_hex(found->get_string()) : std::nullopt;
}

}  // namespace chain
