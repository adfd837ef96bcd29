// Paths as people and models write them, and the names that git and its file systems give a meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace files {

using Components = std::vector<std::string>;
using IsReserved = bool (*)(std::string_view component);

// The components of a path relative to some root; none for "", "." and "/". Kind::invalid for an absolute path, "..",
// bytes that are not UTF-8, control characters, backslashes, more than 32 levels or 255 bytes a name, and every
// reserved name.
web::Result<Components> components_of(std::string_view path, IsReserved);

// "a/b"; "." for none.
std::string join(const Components&);

// What the laxest file systems make of a name: lower case, without trailing dots and spaces, NTFS streams
// (.git::$INDEX_ALLOCATION) and code points that HFS+ ignores.
std::string folded(std::string_view name);
// "git~1": a short name that NTFS may give to a file whose name begins with `stem`. Both are folded.
bool is_short_name(std::string_view name, std::string_view stem);

// True for names that are, or that some file system takes for, .git.
bool is_git_folder(std::string_view component);
// The same for .gitmodules.
bool is_git_modules(std::string_view component);

}  // namespace files
