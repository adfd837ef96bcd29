#include "appliance/agent/turn_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "appliance/files/root.h"
#include "web/json.h"
#include "web/routes/reply.h"

namespace agent_process {

namespace json = boost::json;

namespace {

std::optional<TurnPoint> parse_point(std::string_view line) {
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  const auto* object = error ? nullptr : value.if_object();
  if (!object) return std::nullopt;
  TurnPoint point{.message = web::string_member(*object, "message"),
                  .conversation = web::string_member(*object, "conversation"),
                  .commit = web::string_member(*object, "commit")};
  const auto* position = object->if_contains("position");
  if (point.message.empty() || !position || !position->is_int64()) return std::nullopt;
  point.position = position->get_int64();
  return point;
}

std::string line_of(const TurnPoint& point) { return json::serialize(web::to_json(point)) + "\n"; }

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::runtime_error("the turns in " + file.string() + " cannot be written: " + std::strerror(errno));
}

void write(const std::filesystem::path& file, int flags, std::string_view text) {
  const files::Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0600));
  if (!out || !files::write_all(out, text) || ::fdatasync(out.get()) != 0) fail(file);
}

}  // namespace

TurnJournal::TurnJournal(std::filesystem::path file) : file_(std::move(file)) {
  std::ifstream lines(file_, std::ios::binary);
  for (std::string line; std::getline(lines, line);)
    if (auto point = parse_point(line)) points_.push_back(std::move(*point));
}

void TurnJournal::add(TurnPoint point) {
  const auto line = line_of(point);
  points_.push_back(std::move(point));
  if (points_.size() < 2 * max_points) return write(file_, O_APPEND, line);
  points_.erase(points_.begin(), points_.end() - std::ptrdiff_t(max_points));
  save();
}

std::optional<TurnPoint> TurnJournal::find(std::string_view message) const {
  const auto found = std::ranges::find(points_, message, &TurnPoint::message);
  return found == points_.end() ? std::nullopt : std::optional(*found);
}

std::vector<TurnPoint> TurnJournal::since(std::string_view message) const {
  return {std::ranges::find(points_, message, &TurnPoint::message), points_.end()};
}

void TurnJournal::cut(std::string_view message) {
  points_.erase(std::ranges::find(points_, message, &TurnPoint::message), points_.end());
  save();
}

void TurnJournal::save() const {
  std::string text;
  for (const auto& point : points_) text += line_of(point);
  const auto next = file_.string() + ".new";
  write(next, O_TRUNC, text);
  if (::rename(next.c_str(), file_.c_str()) != 0) fail(file_);
}

}  // namespace agent_process
