// Removes secrets and file paths from messages.
#pragma once

#include <string>
#include <string_view>

namespace agentbox {

// The text with `mark` in place of every occurrence of the secret, found from left to right without overlap. The
// unchanged text if the secret is empty. Linear: replacements are not searched again.
std::string redact_secret(std::string_view text, std::string_view secret, std::string_view mark);

// File paths are only for the log and for operators: replaces every path, which is a run of words with a slash in them,
// by "a file". Punctuation around a path stays, and so does the name of a container image with its registry and tag.
std::string redact_paths(std::string_view sentence);

}  // namespace agentbox
