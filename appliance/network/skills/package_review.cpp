#include "appliance/network/skills/package_review.h"

#include <algorithm>
#include <array>
#include <set>

#include "appliance/files/explorer/git/text_patch.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace skills {

namespace {

constexpr std::size_t max_hosts = 50, max_host_bytes = 253, max_patch_bytes = 512 * 1024;

constexpr std::array<std::string_view, 20> script_endings{".sh",  ".bash", ".zsh", ".fish", ".py",  ".js",  ".mjs",
                                                          ".cjs", ".ts",   ".rb",  ".pl",   ".php", ".lua", ".ps1",
                                                          ".bat", ".cmd",  ".go",  ".rs",   ".r",   ".awk"};

bool is_script(const PackageFile& file) {
  const auto path = web::lower_case(file.path);
  return file.content.starts_with("#!") ||
         std::ranges::any_of(script_endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

// Marks of writing direction that reorder what is read, characters without width, and the tags with which a text can be
// written invisibly. Joiners, which some scripts and emoji need, are not among them.
bool is_hidden(char32_t c) {
  return c == 0x200B || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2064) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

bool has_hidden_text(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // says that it is UTF-8
  while (!text.empty()) {
    const auto point = web::decode_utf8(text);
    if (point.length != 0 && is_hidden(point.value)) return true;
    text.remove_prefix(std::max<std::size_t>(point.length, 1));
  }
  return false;
}

void add_hosts(std::set<std::string>& hosts, std::string_view text) {
  constexpr std::string_view mark = "://";
  constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  for (auto at = text.find(mark); at != text.npos && hosts.size() < max_hosts; at = text.find(mark, at + 1)) {
    auto rest = text.substr(at + mark.size());
    const auto authority = rest.substr(0, rest.find_first_of("/?# \t\r\n\"'`<>)"));
    if (const auto user = authority.rfind('@'); user != authority.npos) rest.remove_prefix(user + 1);
    auto host = rest.substr(0, rest.find_first_not_of(name_characters));
    while (host.ends_with('.')) host.remove_suffix(1);
    if (!host.empty() && host.size() <= max_host_bytes) hosts.insert(web::lower_case(host));
  }
}

std::optional<std::string> optional_text(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// Files of the skill and those that are there, in the order of their paths.
void compare_files(PackageReview& review, const Skill& skill, const FileContents& present) {
  std::map<std::string, const PackageFile*> paths;
  for (const auto& [path, content] : present) paths[path] = nullptr;
  for (const auto& file : skill.files) paths[file.path] = &file;
  for (const auto& [path, file] : paths) {
    const auto found = present.find(path);
    const auto before = found == present.end() ? std::nullopt : std::optional<std::string_view>(found->second);
    const auto after = file ? std::optional<std::string_view>(file->content) : std::nullopt;
    const auto change = !before           ? FileChange::added
                        : !after          ? FileChange::removed
                        : before == after ? FileChange::unchanged
                                          : FileChange::changed;
    review.files.push_back({.path = path,
                            .size = std::int64_t(after ? after->size() : before->size()),
                            .kind = kind_of(file ? *file : PackageFile{.path = path, .content = found->second}),
                            .change = change});
    auto patch = git::text_patch(path, before, after);
    if (review.patch.size() + patch.size() > max_patch_bytes)
      review.isPatchWhole = false;
    else
      review.patch += patch;
  }
}

}  // namespace

FileKind kind_of(const PackageFile& file) {
  if (file.path == agent_process::skill_file_name) return FileKind::instructions;
  if (!web::is_utf8(file.content) || file.content.find('\0') != std::string::npos) return FileKind::binary;
  return is_script(file) ? FileKind::script : FileKind::text;
}

PackageReview review_of(const Skill& skill, const FileContents& present) {
  PackageReview review{.name = skill.name,
                       .description = skill.description,
                       .version = skill.version,
                       .license = optional_text(skill.license),
                       .compatibility = optional_text(skill.compatibility),
                       .allowedTools = skill.allowed_tools,
                       .inputs = items_of(skill.inputs),
                       .instructions = skill.instructions,
                       .files = {},
                       .size = 0,
                       .digest = content_digest(skill),
                       .hosts = {},
                       .hasHiddenText = false,
                       .isUpdate = !present.empty(),
                       .patch = {},
                       .isPatchWhole = true};
  std::set<std::string> hosts;
  for (const auto& file : skill.files) {
    review.size += std::int64_t(file.content.size());
    if (kind_of(file) == FileKind::binary) continue;
    add_hosts(hosts, file.content);
    review.hasHiddenText = review.hasHiddenText || has_hidden_text(file.content);
  }
  review.hosts.assign(hosts.begin(), hosts.end());
  compare_files(review, skill, present);
  return review;
}

}  // namespace skills
