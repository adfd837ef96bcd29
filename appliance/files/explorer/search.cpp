#include "appliance/files/explorer/search.h"

#include <fcntl.h>

#include <algorithm>

#include "appliance/files/explorer/pattern.h"
#include "appliance/files/root.h"
#include "web/utf8.h"

namespace explorer {

namespace {

using Clock = std::chrono::steady_clock;

// The time limit is checked after each piece.
constexpr std::size_t search_piece_bytes = 64 * 1024;
constexpr std::size_t max_search_depth = 32;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The first position from `at` on that is not inside a character.
std::size_t character_from(std::string_view text, std::size_t at) {
  while (at < text.size() && continues_character(text[at])) ++at;
  return at;
}

// The end of the piece that begins at `from`: after the last line that ends in it, else after a character.
std::size_t end_of_piece(std::string_view text, std::size_t from) {
  if (text.size() - from <= search_piece_bytes) return text.size();
  const auto line_end = text.rfind('\n', from + search_piece_bytes - 1);
  return line_end != std::string_view::npos && line_end >= from ? line_end + 1
                                                                : character_from(text, from + search_piece_bytes);
}

// The returned excerpt of a line whose match begins at `at`.
std::string shown(std::string_view line, std::size_t at) {
  if (line.size() <= max_shown_line_bytes) return std::string(line);
  constexpr auto before = max_shown_line_bytes / 4;
  const auto begin = character_from(line, std::min(at > before ? at - before : 0, line.size() - max_shown_line_bytes));
  auto end = std::min(begin + max_shown_line_bytes, line.size());
  while (end < line.size() && continues_character(line[end])) --end;
  return std::string(line.substr(begin, end - begin));
}

class Search {
 public:
  // `files`: null for every file.
  Search(const Place& place, const Pattern& pattern, const Pattern* files, const SearchLimits& limits,
         std::size_t max_matches)
      : place_(place),
        pattern_(pattern),
        files_(files),
        limits_(limits),
        max_matches_(max_matches),
        deadline_(Clock::now() + limits.time) {}

  void search_folder(const files::Descriptor& folder, const std::string& prefix, std::size_t depth) {
    auto names = files::names_in(folder);
    std::erase_if(names, [this](const auto& name) { return !shows(place_, name); });
    std::ranges::sort(names);
    std::vector<std::string> folders;
    for (auto& name : names) {
      if (is_over()) return;
      struct stat info {};
      if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISDIR(info.st_mode)) {
        folders.push_back(std::move(name));
        continue;
      }
      if (!S_ISREG(info.st_mode)) continue;
      // O_NONBLOCK: the file may have been replaced by a pipe.
      const files::Descriptor file(files::open_beneath(folder, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY));
      if (file) search_file(file, prefix + name);
    }
    for (const auto& name : folders) {
      if (is_over()) return;
      const files::Descriptor below(files::open_beneath(folder, name.c_str(), O_RDONLY | O_DIRECTORY));
      if (!below) continue;
      if (depth >= max_search_depth) {
        found.is_truncated = true;
        return;
      }
      search_folder(below, prefix + name + "/", depth + 1);
    }
  }

  void search_file(const files::Descriptor& file, const std::string& path) {
    if (files_ && !files_->find(path, 0)) return;
    if (found.files >= limits_.files) {
      found.is_truncated = true;
      return;
    }
    const auto text = files::read_text(file, max_searched_file_bytes);
    if (!text) return;
    ++found.files;
    bytes_ += text->content.size();
    search_text(text->content, path);
    if (bytes_ > limits_.bytes) found.is_truncated = true;
  }

  SearchResult found;

 private:
  bool is_over() {
    if (Clock::now() >= deadline_) found.is_truncated = true;
    return found.is_truncated;
  }

  void search_text(std::string_view text, const std::string& path) {
    std::size_t line = 1, line_begin = 0;  // of the piece's first byte
    for (std::size_t begin = 0; begin < text.size() && !is_over();) {
      const auto end = end_of_piece(text, begin);
      const auto piece = text.substr(begin, end - begin);
      for (std::size_t from = 0; from < piece.size();) {
        const auto match = pattern_.find(piece, from);
        // There is no line after the final line feed, although ^ and $ match there.
        if (!match || match->begin == piece.size()) break;
        const auto at = begin + match->begin;
        for (auto feed = text.find('\n', line_begin); feed < at; feed = text.find('\n', line_begin)) {
          line_begin = feed + 1;
          ++line;
        }
        if (!add(text, path, line, line_begin, at)) return;
        const auto line_end = text.find('\n', at);
        if (line_end >= end) break;
        from = line_end + 1 - begin;
      }
      begin = end;
    }
  }

  bool add(std::string_view text, const std::string& path, std::size_t line, std::size_t line_begin, std::size_t at) {
    // Also a line split into several pieces has only one match.
    if (!found.matches.empty() && found.matches.back().line == line && found.matches.back().path == path) return true;
    if (found.matches.size() >= max_matches_) {
      found.is_truncated = true;
      return false;
    }
    auto whole = text.substr(line_begin, text.find('\n', line_begin) - line_begin);
    if (whole.ends_with('\r')) whole.remove_suffix(1);
    found.matches.push_back({.path = path,
                             .line = line,
                             .column = web::count_characters(text.substr(line_begin, at - line_begin)) + 1,
                             .text = shown(whole, at - line_begin)});
    return true;
  }

  const Place& place_;
  const Pattern& pattern_;
  const Pattern* const files_;
  const SearchLimits& limits_;
  const std::size_t max_matches_;
  const Clock::time_point deadline_;
  std::size_t bytes_ = 0;
};

}  // namespace

web::Result<SearchResult> search(const Place& place, const TextQuery& query, const SearchLimits& limits) {
  const auto components = readable(place, query.path);
  if (!components) return components.error();
  const auto pattern = Pattern::compile(
      query.text, {.is_regexp = query.is_regexp, .ignores_case = query.ignores_case, .field = query.text_field});
  if (!pattern) return pattern.error();
  std::optional<Pattern> of_files;
  if (!query.files.empty()) {
    auto compiled = Pattern::compile_glob(query.files, "files");
    if (!compiled) return compiled.error();
    of_files.emplace(std::move(*compiled));
  }
  const auto root = files::Root::open(place.folder);
  if (!root) return root.error();
  const auto start = root->open(*components, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!start) return start.error();
  struct stat info {};
  if (::fstat(start->get(), &info) != 0) return files::error_of(errno);

  Search search(place, *pattern, of_files ? &*of_files : nullptr, limits, std::min(query.matches, limits.matches));
  const auto path = components->empty() ? std::string() : files::join(*components);
  if (S_ISDIR(info.st_mode)) {
    search.search_folder(*start, path.empty() ? "" : path + "/", 0);
  } else {
    search.search_file(*start, path);
  }
  return std::move(search.found);
}

}  // namespace explorer
