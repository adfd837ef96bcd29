// Changes single settings in the text of agentbox.toml and leaves everything else as it is: comments, order, and lines
// that it does not know.
#pragma once

#include <map>
#include <string>

namespace agentbox::cli {

// `values` by key, each as TOML writes it ("\"text\"", "7", "true"). A line `key = ...` is replaced; a key that has
// none is added at the end. The text ends with a line end.
std::string with_settings(const std::string& text, std::map<std::string, std::string> values);

}  // namespace agentbox::cli
