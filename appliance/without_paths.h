// Where files lie is for the log and for the box's operators, not for whoever asks.
#pragma once

#include <string>
#include <string_view>

namespace agentbox {

// The sentence with "a file" in place of every path in it: of every run of words with a slash in them. Punctuation
// round a path stays.
std::string without_paths(std::string_view sentence);

}  // namespace agentbox
