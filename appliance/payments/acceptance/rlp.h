// Reads RLP, the encoding of Ethereum's transactions, in its canonical form only.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace mpp {

// A view of one item: a string of bytes, or a list whose items are in `content` one after the other.
struct RlpItem {
  bool is_list = false;
  std::string_view content;
};

// The items of a list's content, or of a whole encoding; nothing for what is not RLP.
std::optional<std::vector<RlpItem>> read_rlp(std::string_view content);

}  // namespace mpp
