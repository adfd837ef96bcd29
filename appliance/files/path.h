// Paths written by users and models, and names with a meaning for git.
#pragma once

#include <optional>
#include <set>
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

// One of these paths of files that another one uses as a folder.
std::optional<std::string> file_and_folder(const std::set<std::string>& paths);

// A name as the most lenient file systems treat it: lower case, without trailing dots and spaces, NTFS streams
// (.git::$INDEX_ALLOCATION) and code points that HFS+ ignores.
std::string folded(std::string_view name);
// "git~1": a short name that NTFS may give to a file whose name begins with `stem`. Both are folded.
bool is_short_name(std::string_view name, std::string_view stem);

// True for .git and for names that some file system treats as .git.
bool is_git_folder(std::string_view component);
// The same for .gitmodules.
bool is_git_modules(std::string_view component);

}  // namespace files
