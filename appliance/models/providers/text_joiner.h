// Text that a server has cut within a character: between the bytes of a UTF-8 sequence, or between the halves of a
// UTF-16 surrogate pair.
#pragma once

#include <string>
#include <string_view>

namespace models {

// Makes valid UTF-8 of the pieces of a text.
class TextJoiner {
 public:
  // Returns what is complete with this piece. What cannot become a character is replaced by U+FFFD.
  std::string add(std::string_view piece);
  // What is left at the end of the text: U+FFFD, or nothing.
  std::string end();

 private:
  std::string pending_;  // the start of a character
};

// All of a text at once.
std::string joined_text(std::string text);

// The JSON with escapes of single surrogates, which parsers refuse, replaced by the three bytes that UTF-8 would have
// for them; add() joins these. For a parser that accepts invalid UTF-8.
std::string with_surrogate_bytes(std::string_view json);

}  // namespace models
