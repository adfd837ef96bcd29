#include "appliance/files/explorer/git/text_patch.h"

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/library.h"

namespace git {

namespace {

using PatchHandle = Handle<git_patch, git_patch_free>;

const char* bytes_of(const std::optional<std::string_view>& text) { return text ? text->data() : nullptr; }
std::size_t size_of(const std::optional<std::string_view>& text) { return text ? text->size() : 0; }

}  // namespace

std::string text_patch(const std::string& path, std::optional<std::string_view> before,
                       std::optional<std::string_view> after) {
  if (before == after) return {};
  start_library();
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags |= GIT_DIFF_INDENT_HEURISTIC;
  options.old_prefix = "a";
  options.new_prefix = "b";
  const auto compare = [&](git_patch** patch) {
    return git_patch_from_buffers(patch, bytes_of(before), size_of(before), path.c_str(), bytes_of(after),
                                  size_of(after), path.c_str(), &options);
  };
  const auto patch = made<PatchHandle>(compare, "compare two texts");
  Buffer text;
  check(git_patch_to_buf(&text, patch.get()), "print a difference");
  return text.text();
}

}  // namespace git
