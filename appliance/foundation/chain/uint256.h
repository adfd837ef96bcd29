// 256-bit whole numbers as words: 32 raw bytes, big-endian, which compare as numbers do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chain {

// The word of decimal digits without sign, blanks or leading zeros; nothing for other text and for numbers of more than
// 256 bits. The decimal notation of a word is chain::to_digits().
std::optional<std::string> word_of_digits(std::string_view digits);

}  // namespace chain
