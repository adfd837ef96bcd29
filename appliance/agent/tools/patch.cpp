#include "appliance/agent/tools/patch.h"

#include <algorithm>
#include <charconv>

#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::size_t max_quoted_line_bytes = 200;

web::Error wrong_line(std::size_t line, std::string_view why) {
  return web::invalid("patch, line " + std::to_string(line) + ": " + std::string(why));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// "--- a/src/x.cpp\t2026-01-01" names src/x.cpp.
std::string path_in(std::string_view line) {
  line.remove_prefix(std::min<std::size_t>(4, line.size()));
  line = line.substr(0, line.find('\t'));
  while (line.ends_with(' ')) line.remove_suffix(1);
  if (line == "/dev/null") return {};
  if (line.starts_with("a/") || line.starts_with("b/")) line.remove_prefix(2);
  return std::string(line);
}

// The old line of "@@ -10,4 +10,5 @@".
std::optional<std::size_t> old_line_in(std::string_view header) {
  const auto minus = header.find('-');
  std::size_t line = 0;
  if (minus == header.npos) return std::nullopt;
  const auto* const begin = header.data() + minus + 1;
  if (std::from_chars(begin, header.data() + header.size(), line).ec != std::errc()) return std::nullopt;
  return line;
}

class PatchReader {
 public:
  explicit PatchReader(std::string_view text) {
    for (const auto line : lines_of(text)) lines_.push_back(without_return(line));
  }

  web::Result<std::vector<FilePatch>> read() {
    std::vector<FilePatch> files;
    std::string renamed_from;
    while (at_ < lines_.size()) {
      const auto line = lines_[at_];
      if (starts_file()) {
        FilePatch file{.from = path_in(line), .to = path_in(lines_[at_ + 1]), .hunks = {}};
        at_ += 2;
        if (auto read = read_hunks(file); !read) return read.error();
        if (file.from.empty() && file.to.empty()) return wrong_line(at_, "a file cannot be /dev/null on both sides");
        if (file.hunks.empty() && !file.removes() && file.from == file.to)
          return wrong_line(at_, "no hunk follows: begin one with @@ -line,count +line,count @@");
        files.push_back(std::move(file));
        renamed_from.clear();
        continue;
      }
      if (line.starts_with("rename from ")) renamed_from = line.substr(12);
      if (line.starts_with("rename to ") && !renamed_from.empty() && !is_followed_by_file())
        files.push_back({.from = std::exchange(renamed_from, {}), .to = std::string(line.substr(10)), .hunks = {}});
      if (line.starts_with("@@"))
        return wrong_line(at_ + 1, "a hunk needs the lines '--- a/path' and '+++ b/path' before it");
      ++at_;
    }
    if (files.empty())
      return web::invalid("patch has no file: it must be a unified diff with the lines '--- a/path' and '+++ b/path'");
    return files;
  }

 private:
  bool starts_file() const {
    return at_ + 1 < lines_.size() && lines_[at_].starts_with("--- ") && lines_[at_ + 1].starts_with("+++ ");
  }
  bool is_followed_by_file() const {
    return at_ + 2 < lines_.size() && lines_[at_ + 1].starts_with("--- ") && lines_[at_ + 2].starts_with("+++ ");
  }

  web::Result<void> read_hunks(FilePatch& file) {
    while (at_ < lines_.size() && lines_[at_].starts_with("@@")) {
      const auto header_line = at_ + 1;
      PatchHunk hunk{.old_line = old_line_in(lines_[at_]), .before = {}, .after = {}};
      const auto begin = ++at_;
      while (at_ < lines_.size() && !starts_file() && !lines_[at_].starts_with("@@") &&
             !lines_[at_].starts_with("diff "))
        ++at_;
      auto end = at_;
      while (end > begin && lines_[end - 1].empty()) --end;  // empty lines before what follows are not context
      bool changes = false;
      for (auto i = begin; i < end; ++i) {
        const char kind = lines_[i].empty() ? ' ' : lines_[i].front();
        if (kind == '\\') continue;  // "\ No newline at end of file"
        if (kind != ' ' && kind != '-' && kind != '+')
          return wrong_line(i + 1, "lines of a hunk begin with a space, '-' or '+'");
        const std::string rest(lines_[i].empty() ? lines_[i] : lines_[i].substr(1));
        changes = changes || kind != ' ';
        if (kind != '+') hunk.before.push_back(rest);
        if (kind != '-') hunk.after.push_back(rest);
      }
      if (!changes) return wrong_line(header_line, "the hunk changes nothing: mark lines with '-' and '+'");
      file.hunks.push_back(std::move(hunk));
    }
    return {};
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
};

bool matches_at(const std::vector<std::string>& lines, const std::vector<std::string>& wanted, std::size_t at) {
  return at + wanted.size() <= lines.size() &&
         std::equal(wanted.begin(), wanted.end(), lines.begin() + std::ptrdiff_t(at));
}

std::string in_quotes(std::string_view line) {
  return "'" + std::string(web::utf8_prefix(line, max_quoted_line_bytes)) + "'";
}

// Why none of the places matches: the first old line that the file does not have, if there is one.
std::string mismatch(const std::vector<std::string>& lines, const PatchHunk& hunk) {
  for (const auto& line : hunk.before)
    if (std::ranges::find(lines, line) == lines.end()) return "the file has no line " + in_quotes(line);
  return "its lines are in the file, but not together in this order after the hunks before it";
}

}  // namespace

web::Result<std::vector<FilePatch>> parse_patch(std::string_view text) { return PatchReader(text).read(); }

web::Result<std::string> apply_hunks(const FilePatch& file, std::string_view content) {
  const bool has_returns = content.find("\r\n") != content.npos;
  const bool ends_line = content.empty() || content.ends_with('\n');
  std::vector<std::string> lines;
  for (const auto line : lines_of(content)) lines.emplace_back(has_returns ? without_return(line) : line);
  std::size_t from = 0;      // hunks apply in order
  std::ptrdiff_t shift = 0;  // by the hunks before
  for (std::size_t i = 0; i < file.hunks.size(); ++i) {
    const auto& hunk = file.hunks[i];
    const auto name = (file.to.empty() ? file.from : file.to) + ": hunk " + std::to_string(i + 1) + " does not apply: ";
    std::vector<std::size_t> places;
    if (hunk.before.empty()) {
      const auto line = hunk.old_line ? std::ptrdiff_t(*hunk.old_line) + shift : std::ptrdiff_t(lines.size());
      places.push_back(std::size_t(std::clamp(line, std::ptrdiff_t(from), std::ptrdiff_t(lines.size()))));
    } else {
      for (auto at = from; at + hunk.before.size() <= lines.size(); ++at)
        if (matches_at(lines, hunk.before, at)) places.push_back(at);
    }
    if (places.empty()) return web::invalid(name + mismatch(lines, hunk) + ". Read the file and write the hunk again");
    if (places.size() > 1 && !hunk.old_line)
      return web::invalid(name + "its lines occur " + std::to_string(places.size()) +
                          " times: add context lines, or the line number as in @@ -10,4 +10,5 @@");
    const auto wanted = hunk.old_line ? std::ptrdiff_t(*hunk.old_line) - 1 + shift : 0;
    const auto place =
        *std::ranges::min_element(places, {}, [&](std::size_t at) { return std::abs(std::ptrdiff_t(at) - wanted); });
    const auto begin = lines.begin() + std::ptrdiff_t(place);
    lines.erase(begin, begin + std::ptrdiff_t(hunk.before.size()));
    lines.insert(lines.begin() + std::ptrdiff_t(place), hunk.after.begin(), hunk.after.end());
    shift += std::ptrdiff_t(hunk.after.size()) - std::ptrdiff_t(hunk.before.size());
    from = place + hunk.after.size();
  }
  std::string result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result += lines[i];
    if (i + 1 < lines.size() || ends_line) result += has_returns ? "\r\n" : "\n";
  }
  return result;
}

}  // namespace agent_process
