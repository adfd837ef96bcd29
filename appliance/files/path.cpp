#include "appliance/files/path.h"

#include <algorithm>

#include "web/ascii.h"
#include "web/utf8.h"

namespace files {

namespace {

constexpr std::size_t max_levels = 32, max_name_bytes = 255;

bool is_ignored_by_hfs(char32_t c) {
  return (c >= 0x200C && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x206A && c <= 0x206F) || c == 0xFEFF;
}

web::Result<void> check(std::string_view name, IsReserved is_reserved) {
  if (name == "..") return web::invalid("path must not contain '..'");
  if (name.size() > max_name_bytes) return web::invalid("path has a name of more than 255 bytes");
  if (is_reserved(name)) return web::invalid("path names a reserved file: " + std::string(name));
  return {};
}

}  // namespace

std::string folded(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const auto point = web::decode_utf8(name);
    const auto length = std::max<std::size_t>(point.length, 1);
    if (point.length == 0 || !is_ignored_by_hfs(point.value)) plain += name.substr(0, length);
    name.remove_prefix(length);
  }
  plain.resize(std::min(plain.find(':'), plain.size()));
  while (!plain.empty() && (plain.back() == '.' || plain.back() == ' ')) plain.pop_back();
  return web::lower_case(plain);
}

bool is_short_name(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || name.size() < stem.size() + 2 || name[stem.size()] != '~') return false;
  return web::all_digits(name.substr(stem.size() + 1));
}

bool is_git_folder(std::string_view component) {
  const auto name = folded(component);
  return name == ".git" || is_short_name(name, "git");
}

bool is_git_modules(std::string_view component) {
  const auto name = folded(component);
  return name == ".gitmodules" || is_short_name(name, "gitmod") || is_short_name(name, "gi7eba");
}

web::Result<Components> components_of(std::string_view path, IsReserved is_reserved) {
  if (!web::is_utf8(path)) return web::invalid("path must be UTF-8");
  for (const unsigned char c : path) {
    if (c < 0x20 || c == 0x7F || c == '\\') return web::invalid("path must not contain control characters or '\\'");
  }
  Components components;
  if (path == "/") return components;
  if (path.starts_with('/')) return web::invalid("path must be relative");
  while (!path.empty()) {
    const auto name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (name.empty() || name == ".") continue;
    if (auto checked = check(name, is_reserved); !checked) return checked.error();
    components.emplace_back(name);
    if (components.size() > max_levels) return web::invalid("path has more than 32 levels");
  }
  return components;
}

std::string join(const Components& components) {
  std::string path;
  for (const auto& name : components) path.append(path.empty() ? "" : "/").append(name);
  return path.empty() ? "." : path;
}

std::optional<std::string> file_and_folder(const std::set<std::string>& paths) {
  for (const auto& path : paths)
    for (auto at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
      if (auto above = path.substr(0, at); paths.contains(above)) return above;
  return std::nullopt;
}

}  // namespace files
