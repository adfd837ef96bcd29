#include "appliance/runtime/docker/container_logs.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "appliance/runtime/docker/log_frames.h"

namespace runtime::docker {

namespace {

using web::Result;
using web::Task;

constexpr std::chrono::seconds read_timeout{30};
constexpr std::size_t max_out_of_order = 1'000;  // lines before an older one, because stdout and stderr are merged

bool is_within(const LogLine& line, const LogQuery& query) {
  return line.id > query.after && (!query.since || (line.at && *line.at >= *query.since)) &&
         (!query.until || (line.at && *line.at <= *query.until));
}

// Drops the oldest lines, or with `after` the newest.
void limit_lines(std::vector<LogLine>& lines, const LogQuery& query) {
  if (lines.size() <= query.limit) return;
  const auto excess = std::ptrdiff_t(lines.size() - query.limit);
  if (query.after.empty())
    lines.erase(lines.begin(), lines.begin() + excess);
  else
    lines.erase(lines.end() - excess, lines.end());
}

}  // namespace

Task<Result<std::vector<std::string>>> last_lines(Api& api, std::string container, std::size_t count) {
  const auto lines = std::make_shared<std::vector<std::string>>();
  const auto frames = std::make_shared<LogFrames>([lines](std::string_view line) { lines->emplace_back(line); });
  const auto path = container + "/logs?stdout=1&stderr=1&tail=" + std::to_string(count);
  std::function<bool(std::string_view)> sink = [frames](std::string_view bytes) { return frames->take(bytes); };
  const auto read = co_await api.stream(path, std::move(sink), {}, read_timeout);
  if (!read && read.error().kind == web::Kind::unavailable) co_return read.error();
  frames->finish();
  if (lines->size() > count) lines->erase(lines->begin(), lines->end() - std::ptrdiff_t(count));
  co_return std::move(*lines);
}

// `query.after` is a timestamp. The engine also sends the line with exactly that time, which shows that no line between
// is missing.
Task<Result<LogPage>> read_log(Api& api, std::string container, LogQuery query) {
  LogPage page{.lines = {}, .is_truncated = !query.after.empty()};
  auto take = [&page, &query](std::string_view text) {
    auto line = parse_log_line(text);
    if (line.id == query.after) page.is_truncated = false;
    if (is_within(line, query)) page.lines.push_back(std::move(line));
  };
  LogFrames frames(take);
  const bool is_tail = query.after.empty() && !query.since && !query.until;
  const auto path = container + "/logs?stdout=1&stderr=1&timestamps=1" +
                    (is_tail ? "&tail=" + std::to_string(query.limit) : since_query(query.after));
  const auto enough = query.after.empty() ? SIZE_MAX : query.limit + max_out_of_order;
  std::function<bool(std::string_view)> sink = [&frames, &page, enough](std::string_view bytes) {
    return frames.take(bytes) && page.lines.size() < enough;
  };
  const auto read = co_await api.stream(path, std::move(sink), {}, read_timeout);
  if (!read && read.error().kind == web::Kind::unavailable) co_return read.error();
  if (page.lines.size() < enough) frames.finish();
  std::ranges::stable_sort(page.lines, {}, &LogLine::id);  // merges stdout and stderr
  limit_lines(page.lines, query);
  co_return std::move(page);
}

LogPage joined(LogPage former, LogPage current, const LogQuery& query) {
  former.lines.insert(former.lines.end(), std::make_move_iterator(current.lines.begin()),
                      std::make_move_iterator(current.lines.end()));
  former.is_truncated = former.is_truncated && current.is_truncated;
  limit_lines(former.lines, query);
  return former;
}

Task<Result<void>> follow_log(Api& api, std::string container, std::string after, LogSink sink) {
  std::vector<LogLine> fresh;
  LogFrames frames([&fresh, &after](std::string_view text) {
    auto line = parse_log_line(text);
    if (line.id > after) fresh.push_back(std::move(line));
  });
  const auto path = container + "/logs?follow=1&stdout=1&stderr=1&timestamps=1" + since_query(after);
  std::function<bool(std::string_view)> take = [&frames, &fresh, &sink](std::string_view bytes) {
    const bool is_readable = frames.take(bytes);
    return (fresh.empty() || sink(std::exchange(fresh, {}))) && is_readable;
  };
  co_return co_await api.stream(path, std::move(take));
}

}  // namespace runtime::docker
