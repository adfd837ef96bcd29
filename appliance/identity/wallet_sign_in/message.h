// The text that a wallet shows and signs: ERC-4361, parsed by its grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/ethereum.h"
#include "store/store.h"
#include "web/result.h"

namespace wallet_sign_in {

struct Message {
  std::string scheme;  // of the site that asks; may be empty
  std::string domain;  // its authority: host, or host:port
  crypto::EthereumAddress address;
  std::string statement;  // may be empty
  std::string uri;
  std::uint64_t chain_id = 0;
  std::string nonce;
  store::Time issued_at;
  std::optional<store::Time> expires_at, not_before;
  std::optional<std::string> request_id;
  std::vector<std::string> resources;
};

// invalid, naming the line, unless the text follows the grammar exactly: at most 8 KiB, LF line ends, every field once
// and in order, nothing before, between or after them, version 1.
web::Result<Message> parse_message(std::string_view text);

}  // namespace wallet_sign_in
