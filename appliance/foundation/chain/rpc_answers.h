// What nodes answer over JSON-RPC.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "web/result.h"

namespace chain {

web::Error no_answer(std::string detail);
// Whether a node's error says that the call failed on the chain.
bool is_revert(const boost::json::object& error);

// A quantity: "0x" and 1 to 16 hex digits.
std::optional<std::uint64_t> quantity(const boost::json::value&);
std::optional<std::uint64_t> number_in(const boost::json::object&, std::string_view name);
std::optional<std::string> bytes_in(const boost::json::object&, std::string_view name);

}  // namespace chain
