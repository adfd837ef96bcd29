#include "appliance/hosting/runtime/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "appliance/files/descriptor.h"
#include "appliance/foundation/timestamp.h"

namespace runtime {

namespace {

namespace fs = std::filesystem;

constexpr auto current = "agent.log", previous = "agent.log.1", start_file = "agent.log.start";
constexpr std::size_t longest_line = 16 * 1024;

// From `offset` on, `most` bytes at most; empty when there is no such file.
std::string content_of(const fs::path& path, std::uint64_t offset, std::size_t most) {
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || std::uint64_t(info.st_size) <= offset) return {};
  std::string content(std::min<std::uint64_t>(std::uint64_t(info.st_size) - offset, most), '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const auto got = ::pread(file.get(), content.data() + size, content.size() - size, off_t(offset + size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += std::size_t(got);
  }
  content.resize(size);
  return content;
}

// Agents of this binary log JSON that begins with the time (web/log.cpp); other lines have none.
std::optional<LogTime> time_of(std::string_view line) {
  constexpr std::string_view field = R"({"time":")";
  if (!line.starts_with(field)) return std::nullopt;
  line.remove_prefix(field.size());
  return agentbox::parse_timestamp(line.substr(0, line.find('"')));
}

// The whole lines of `content`, which begins at the offset `start`; `rest` is set to the end of the last. Lines that
// are too long are split.
std::vector<LogLine> lines_of(std::string_view content, std::uint64_t start, std::uint64_t& rest,
                              std::size_t most = SIZE_MAX) {
  std::vector<LogLine> lines;
  std::size_t at = 0;
  while (lines.size() < most) {
    const auto left = content.substr(at);
    const auto feed = left.find('\n');
    const bool is_long = std::min(feed, left.size()) > longest_line;
    if (feed == std::string_view::npos && !is_long) break;
    const auto size = is_long ? longest_line : feed;
    auto text = left.substr(0, size);
    if (!is_long && text.ends_with('\r')) text.remove_suffix(1);
    at += size + (is_long ? 0 : 1);
    lines.push_back({.id = log_position(start + at), .at = time_of(text), .text = std::string(text)});
  }
  rest = start + at;
  return lines;
}

bool is_asked_for(const LogLine& line, const LogQuery& query) {
  if (!query.since && !query.until) return true;
  return line.at && (!query.since || *line.at >= *query.since) && (!query.until || *line.at <= *query.until);
}

}  // namespace

std::uint64_t LogFile::start() const {
  std::ifstream file(folder_ / start_file);
  std::uint64_t offset = 0;
  return file >> offset ? offset : 0;
}

void LogFile::rotate(std::uint64_t limit) const {
  const auto path = folder_ / current, draft = folder_ / (std::string(start_file) + ".new");
  std::error_code missing;
  const auto size = fs::file_size(path, missing);
  if (missing || size <= limit) return;
  fs::copy_file(path, folder_ / previous, fs::copy_options::overwrite_existing);
  const auto copied = fs::file_size(folder_ / previous);
  {
    std::ofstream file(draft, std::ios::trunc);
    file << start() + copied;
    if (!file.flush()) throw std::system_error(errno, std::system_category(), draft.string());
  }
  // Before the log is emptied: a crash in between leaves a gap in the offsets, but no duplicates.
  fs::rename(draft, folder_ / start_file);
  fs::resize_file(path, 0);
}

LogPage LogFile::read(const LogQuery& query) const {
  const auto begin = start();
  const auto older = content_of(folder_ / previous, 0, SIZE_MAX), newer = content_of(folder_ / current, 0, SIZE_MAX);
  const auto oldest = begin - std::min<std::uint64_t>(begin, older.size());
  const auto after = parse_log_position(query.after);
  LogPage page;
  page.is_truncated = after && (*after < oldest || *after > begin + newer.size());
  const auto from = after && !page.is_truncated ? *after : oldest;
  const bool takes_all = !after || query.since || query.until;
  auto& lines = page.lines;
  const auto take = [&](std::string_view content, std::uint64_t offset) {
    const auto known = std::min<std::uint64_t>(from - std::min(from, offset), content.size());
    std::uint64_t ignored = 0;
    const auto most = takes_all ? SIZE_MAX : query.limit - lines.size();
    for (auto& line : lines_of(content.substr(known), offset + known, ignored, most))
      if (is_asked_for(line, query)) lines.push_back(std::move(line));
  };
  take(older, oldest);
  take(newer, begin);
  if (lines.size() > query.limit) {
    const auto beyond = std::ptrdiff_t(lines.size() - query.limit);
    after ? lines.erase(lines.end() - beyond, lines.end()) : lines.erase(lines.begin(), lines.begin() + beyond);
  }
  return page;
}

std::vector<LogLine> LogFile::read_on(std::uint64_t& position, std::size_t most_bytes) const {
  const auto begin = start();
  if (position < begin) {
    // Rotated since: the rest of what was is in the file before, unless that has been replaced, too.
    const auto older = content_of(folder_ / previous, 0, SIZE_MAX);
    const auto before = begin - std::min<std::uint64_t>(begin, older.size());
    const auto from = std::max(position, before);
    auto lines = lines_of(std::string_view(older).substr(from - before), from, position);
    position = begin;
    if (!lines.empty()) return lines;
  }
  const auto from = position;
  return lines_of(content_of(folder_ / current, from - begin, most_bytes), from, position);
}

std::uint64_t LogFile::end() const {
  const auto begin = start();
  auto end = begin;
  lines_of(content_of(folder_ / current, 0, SIZE_MAX), begin, end);
  return end;
}

}  // namespace runtime
