// The difference of two versions of a file that are in no repository.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace git {

// As git diff prints it, with `path` on both sides; empty if nothing differs. Nothing in `before` or `after`: the file
// does not exist there. Contents that are not text are named, not shown. Throws Failure.
std::string text_patch(const std::string& path, std::optional<std::string_view> before,
                       std::optional<std::string_view> after);

}  // namespace git
