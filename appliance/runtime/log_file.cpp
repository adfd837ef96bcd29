#include "appliance/runtime/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <fstream>
#include <iterator>
#include <system_error>

#include "appliance/foundation/descriptor.h"
#include "appliance/foundation/timestamp.h"

namespace runtime {

namespace {

namespace fs = std::filesystem;

constexpr auto current = "agent.log", previous = "agent.log.1", start_file = "agent.log.start";
constexpr std::size_t longest_line = 16 * 1024;
// Of a log that has outgrown its limit until it is rotated, only the end is read.
constexpr std::size_t max_bytes_read = 16u << 20, max_lines = 10'000;

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

struct Tail {
  std::string content;
  std::uint64_t skipped = 0;  // bytes before it
};
Tail tail_of(const fs::path& path) {
  std::error_code missing;
  const auto size = fs::file_size(path, missing);
  const auto skipped = missing || size <= max_bytes_read ? 0 : size - max_bytes_read;
  return {.content = content_of(path, skipped, max_bytes_read), .skipped = skipped};
}

// Agents of this binary log JSON that begins with the time (web/log.cpp); other lines have none.
std::optional<LogTime> time_of(std::string_view line) {
  constexpr std::string_view field = R"({"time":")";
  if (!line.starts_with(field)) return std::nullopt;
  line.remove_prefix(field.size());
  return agentbox::parse_timestamp(line.substr(0, line.find('"')));
}

// Calls `visit` with each whole line of `content`, which begins at the offset `start`, until it returns false; returns
// the end of the last. Lines that are too long are split.
template <class Visit>
std::uint64_t each_line(std::string_view content, std::uint64_t start, const Visit& visit) {
  std::size_t at = 0;
  for (bool goes_on = true; goes_on;) {
    const auto left = content.substr(at);
    const auto feed = left.substr(0, longest_line + 1).find('\n');
    if (feed == std::string_view::npos && left.size() <= longest_line) break;
    const bool is_long = feed == std::string_view::npos;
    auto text = left.substr(0, is_long ? longest_line : feed);
    if (!is_long && text.ends_with('\r')) text.remove_suffix(1);
    at += is_long ? longest_line : feed + 1;
    goes_on = visit(start + at, text);
  }
  return start + at;
}

LogLine line_of(std::uint64_t end, std::string_view text) {
  return {.id = log_position(end), .at = time_of(text), .text = std::string(text)};
}

// `rest` is set to the end of the last.
std::vector<LogLine> lines_of(std::string_view content, std::uint64_t start, std::uint64_t& rest) {
  std::vector<LogLine> lines;
  rest = each_line(content, start, [&](std::uint64_t end, std::string_view text) {
    lines.push_back(line_of(end, text));
    return lines.size() < max_lines;
  });
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

void LogFile::append(std::string_view line) const {
  const auto path = folder_ / current;
  const files::Descriptor file(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  if (!file) {
    if (errno == ENOENT) return;
    throw std::system_error(errno, std::system_category(), path.string());
  }
  char last = '\n';
  if (const auto size = ::lseek(file.get(), 0, SEEK_END); size > 0 && ::pread(file.get(), &last, 1, size - 1) != 1)
    last = '\n';
  const auto text = std::string(last == '\n' ? "" : "\n").append(line).append("\n");
  if (::write(file.get(), text.data(), text.size()) < 0)
    throw std::system_error(errno, std::system_category(), path.string());
}

LogPage LogFile::read(const LogQuery& query) const {
  const auto begin = start();
  const auto older = tail_of(folder_ / previous), newer = tail_of(folder_ / current);
  // The file before ends where this one begins, and its own offsets count back from there.
  const auto oldest = begin - std::min<std::uint64_t>(begin, older.content.size());
  const auto newest = begin + newer.skipped;
  const auto after = parse_log_position(query.after);
  LogPage page;
  page.is_truncated = after && (*after < oldest || *after > newest + newer.content.size());
  const bool goes_forward = after && !page.is_truncated;
  const auto from = goes_forward ? *after : oldest;
  std::deque<LogLine> lines;  // the first after `after`, else the last
  const auto take = [&](std::string_view content, std::uint64_t offset) {
    const auto known = std::min<std::uint64_t>(from - std::min(from, offset), content.size());
    each_line(content.substr(known), offset + known, [&](std::uint64_t end, std::string_view text) {
      auto line = line_of(end, text);
      if (is_asked_for(line, query)) lines.push_back(std::move(line));
      if (lines.size() > query.limit) after ? lines.pop_back() : lines.pop_front();
      return !after || lines.size() < query.limit;
    });
  };
  take(older.content, oldest);
  if (!after || lines.size() < query.limit) take(newer.content, newest);
  page.lines.assign(std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  return page;
}

std::vector<LogLine> LogFile::read_on(std::uint64_t& position, std::size_t max_bytes) const {
  const auto begin = start();
  if (position < begin) {
    // Rotated since: the rest of what was is in the file before, unless that has been replaced, too.
    const auto older = tail_of(folder_ / previous).content;
    const auto before = begin - std::min<std::uint64_t>(begin, older.size());
    const auto from = std::max(position, before);
    auto lines = lines_of(std::string_view(older).substr(from - before), from, position);
    if (lines.size() < max_lines) position = begin;
    if (!lines.empty()) return lines;
  }
  const auto from = position;
  return lines_of(content_of(folder_ / current, from - begin, max_bytes), from, position);
}

std::uint64_t LogFile::end() const {
  const auto newest = tail_of(folder_ / current);
  return each_line(newest.content, start() + newest.skipped, [](std::uint64_t, std::string_view) { return true; });
}

}  // namespace runtime
