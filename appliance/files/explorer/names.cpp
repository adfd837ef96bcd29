#include "appliance/files/explorer/names.h"

#include <algorithm>
#include <array>

#include "appliance/files/path.h"
#include "web/utf8.h"

namespace explorer {

namespace {

constexpr std::array<std::string_view, 7> left_out{"node_modules", ".git",   ".next",      "dist",
                                                   "build",        ".cache", "__pycache__"};

}  // namespace

bool is_shown(std::string_view name) {
  return std::ranges::find(left_out, name) == left_out.end() && !name.starts_with(temporary_prefix) &&
         web::is_utf8(name);
}

bool is_unreadable(std::string_view name) { return files::is_git_folder(name); }
bool is_unwritable(std::string_view name) { return files::is_git_folder(name) || files::is_git_modules(name); }

}  // namespace explorer
