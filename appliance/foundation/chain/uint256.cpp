#include "appliance/foundation/chain/uint256.h"

#include <algorithm>

#include "appliance/foundation/chain/abi.h"

namespace chain {

std::optional<std::string> word_of_digits(std::string_view digits) {
  const bool has_leading_zero = digits.size() > 1 && digits.front() == '0';
  if (digits.empty() || has_leading_zero) return std::nullopt;
  std::string word(word_bytes, '\0');
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    unsigned carry = static_cast<unsigned>(digit - '0');
    for (auto byte = word.rbegin(); byte != word.rend(); ++byte) {
      carry += static_cast<unsigned char>(*byte) * 10u;
      *byte = static_cast<char>(carry);
      carry >>= 8;
    }
    if (carry != 0) return std::nullopt;
  }
  return word;
}

}  // namespace chain
