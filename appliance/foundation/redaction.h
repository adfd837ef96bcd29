// Takes out of a sentence what its reader must not see.
#pragma once

#include <string>
#include <string_view>

namespace agentbox {

// The text with `mark` in place of every occurrence of the secret, found from left to right without overlap. The text
// itself when the secret is empty. Linear: what has been replaced is not searched again.
std::string redact_secret(std::string_view text, std::string_view secret, std::string_view mark);

// Where files lie is for the log and for the box's operators only: the sentence with "a file" in place of every path in
// it: of every run of words with a slash in them. Punctuation round a path stays.
std::string redact_paths(std::string_view sentence);

}  // namespace agentbox
