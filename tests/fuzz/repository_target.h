// What a repository's own files may say, to all that the explorer answers about it.
#pragma once

#include <string_view>

namespace fuzz {

// The first byte chooses the file within .git that the rest of the input becomes. Whatever it says, no answer holds
// what lies outside of the folder, and nothing outside changes.
void repository(std::string_view bytes);

}  // namespace fuzz
