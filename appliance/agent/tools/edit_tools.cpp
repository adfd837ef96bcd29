// Changes of parts of files: an exact replacement, and unified diffs.
#include <algorithm>
#include <boost/json.hpp>
#include <cctype>

#include "appliance/agent/tools/patch.h"
#include "appliance/agent/tools/toolbox.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_named_lines = 10;

struct EditFile {
  web::Prose<1, 1'024> path;
  web::Verbatim<1, 100'000> old_text;
  web::Verbatim<0, 100'000> new_text;
  std::optional<bool> replace_all;
};
BOOST_DESCRIBE_STRUCT(EditFile, (), (path, old_text, new_text, replace_all))

struct ApplyPatch {
  web::Verbatim<1, 200'000> patch;
};
BOOST_DESCRIBE_STRUCT(ApplyPatch, (), (patch))

std::size_t line_at(std::string_view text, std::size_t position) {
  return std::size_t(std::count(text.begin(), text.begin() + std::ptrdiff_t(position), '\n')) + 1;
}

std::string without_spaces(std::string_view text) {
  std::string bare;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c))) bare += c;
  return bare;
}

// Why the text is not there, as far as that can be said.
std::string why_absent(std::string_view content, std::string_view wanted) {
  const auto bare = without_spaces(wanted);
  if (!bare.empty() && without_spaces(content).find(bare) != std::string::npos)
    return "old_text is in the file with other white space: copy it exactly, without the line numbers of read_file";
  return "old_text is not in the file: read the file and copy the text exactly, without the line numbers";
}

web::Result<json::value> edit(const Workspace& workspace, const EditFile& asked) {
  auto content = workspace.read(asked.path);
  if (!content) return content.error();
  if (asked.old_text == asked.new_text) return web::invalid("new_text is the same as old_text");
  std::vector<std::size_t> places;
  for (auto at = content->find(asked.old_text); at != std::string::npos;
       at = content->find(asked.old_text, at + asked.old_text.size()))
    places.push_back(at);
  if (places.empty()) return web::invalid(why_absent(*content, asked.old_text));
  if (places.size() > 1 && !asked.replace_all.value_or(false)) {
    std::string lines;
    for (std::size_t i = 0; i < std::min(places.size(), max_named_lines); ++i)
      lines += (i == 0 ? "" : ", ") + std::to_string(line_at(*content, places[i]));
    return web::invalid("old_text occurs " + std::to_string(places.size()) + " times (lines " + lines +
                        (places.size() > max_named_lines ? ", ..." : "") +
                        "): give more of the lines around it, or set replace_all");
  }
  std::string result;
  std::size_t copied = 0;
  for (const auto at : places) {
    result.append(*content, copied, at - copied).append(asked.new_text);
    copied = at + asked.old_text.size();
  }
  result.append(*content, copied);
  if (const auto written = workspace.write(asked.path, result); !written) return written.error();
  return json::value(json::object{{"path", asked.path},
                                  {"replacements", places.size()},
                                  {"line", line_at(*content, places.front())},
                                  {"size", result.size()}});
}

// A file that a patch changes, as it was and as it will be; nullopt: it does not exist.
struct FileChange {
  std::string path;
  std::optional<std::string> before, after;
};

web::Result<std::vector<FileChange>> plan(const Workspace& workspace, const std::vector<FilePatch>& patches) {
  std::vector<FileChange> changes;
  for (const auto& patch : patches) {
    const auto& name = patch.removes() ? patch.from : patch.to;
    for (const auto& change : changes)
      if (change.path == name || change.path == patch.from)
        return web::invalid(change.path + " occurs twice in the patch: put its hunks together");
    std::optional<std::string> before;
    if (!patch.is_new()) {
      auto content = workspace.read(patch.from);
      if (!content) return web::invalid(patch.from + ": " + content.error().message);
      before = std::move(*content);
    }
    const bool moves = patch.from != patch.to;
    if (!patch.removes() && moves && workspace.exists(patch.to))
      return web::invalid(patch.to + " exists already: change it with '--- a/" + patch.to + "', or delete it first");
    std::optional<std::string> after;
    if (!patch.removes()) {
      auto content = apply_hunks(patch, before.value_or(std::string()));
      if (!content) return content.error();
      after = std::move(*content);
    }
    if (moves && before) changes.push_back({.path = patch.from, .before = before, .after = {}});
    if (after)
      changes.push_back({.path = patch.to, .before = moves ? std::nullopt : before, .after = std::move(after)});
  }
  return changes;
}

web::Result<void> put(const Workspace& workspace, const std::string& path, const std::optional<std::string>& content) {
  return content ? workspace.write(path, *content) : workspace.remove(path);
}

// All files or none.
web::Result<json::value> patch(const Workspace& workspace, const ApplyPatch& asked) {
  const auto patches = parse_patch(asked.patch);
  if (!patches) return patches.error();
  const auto changes = plan(workspace, *patches);
  if (!changes) return changes.error();
  for (std::size_t i = 0; i < changes->size(); ++i) {
    const auto& change = (*changes)[i];
    const auto written = put(workspace, change.path, change.after);
    if (written) continue;
    std::string left;
    for (auto done = i; done-- > 0;)
      if (!put(workspace, (*changes)[done].path, (*changes)[done].before)) left += " " + (*changes)[done].path;
    auto error = written.error();
    error.message = change.path + ": " + error.message +
                    (left.empty() ? ". No file was changed" : ". These files could not be restored:" + left);
    return error;
  }
  json::array files;
  for (const auto& change : *changes) {
    const auto* const what = !change.after ? "deleted" : change.before ? "changed" : "created";
    files.push_back({{"path", change.path}, {"change", what}});
  }
  json::object result;
  result["files"] = std::move(files);
  return json::value(std::move(result));
}

}  // namespace

std::vector<Tool> edit_tools(const Workspace& workspace, boost::asio::thread_pool& files) {
  return {
      blocking_tool<EditFile>(
          files, "edit_file",
          "Replace a text in a file by another one. old_text must occur exactly once, with its white space and line "
          "ends; give enough lines around it, or set replace_all. To write a new file, use write_file.",
          [&workspace](const EditFile& asked) { return edit(workspace, asked); }),
      blocking_tool<ApplyPatch>(
          files, "apply_patch",
          "Apply a unified diff to files of the workspace: '--- a/path', '+++ b/path', then hunks '@@ -10,4 +10,5 @@' "
          "with context. /dev/null stands for a file that does not exist. All files are changed, or none.",
          [&workspace](const ApplyPatch& asked) { return patch(workspace, asked); }),
  };
}

}  // namespace agent_process
