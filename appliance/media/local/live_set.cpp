#include "appliance/media/local/live_set.h"

#include <iterator>
#include <utility>

namespace local {

namespace {

constexpr std::chrono::seconds listening{15};  // players ask every few seconds
constexpr std::size_t max_streams = 1'000, max_listeners = 100'000;

std::vector<std::string> names_of(const std::map<std::string, std::string>& streams) {
  std::vector<std::string> names;
  for (const auto& stream : streams) names.push_back(stream.first);
  return names;
}

}  // namespace

bool LiveSet::add(const std::string& stream, std::string key) {
  const std::scoped_lock lock(mutex_);
  return streams_.try_emplace(stream, std::move(key)).second;
}

bool LiveSet::remove(const std::string& stream, std::string_view key) {
  const std::scoped_lock lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end() || found->second != key) return false;
  streams_.erase(found);
  return true;
}

std::vector<std::string> LiveSet::clear() {
  const std::scoped_lock lock(mutex_);
  return names_of(std::exchange(streams_, {}));
}

bool LiveSet::contains(const std::string& stream) const {
  const std::scoped_lock lock(mutex_);
  return streams_.contains(stream);
}

std::vector<std::string> LiveSet::list() const {
  const std::scoped_lock lock(mutex_);
  return names_of(streams_);
}

void Audience::forget_old(Seen& seen, Clock::time_point now) {
  std::erase_if(seen, [now](const auto& one) { return now - one.second > listening; });
}

void Audience::forget_silent_streams(Clock::time_point now) {
  for (auto at = streams_.begin(); at != streams_.end();) {
    forget_old(at->second, now);
    at = at->second.empty() ? streams_.erase(at) : std::next(at);
  }
}

void Audience::see(std::string_view playback_id, const std::string& client, Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  auto found = streams_.find(playback_id);
  if (found == streams_.end()) {
    if (streams_.size() >= max_streams) forget_silent_streams(now);
    if (streams_.size() >= max_streams) return;
    found = streams_.emplace(playback_id, Seen()).first;
  }
  auto& seen = found->second;
  if (seen.size() >= max_listeners) forget_old(seen, now);
  if (seen.size() < max_listeners) seen[client] = now;
}

std::int64_t Audience::count(std::string_view playback_id, Clock::time_point now) const {
  const std::scoped_lock lock(mutex_);
  const auto found = streams_.find(playback_id);
  if (found == streams_.end()) return 0;
  forget_old(found->second, now);
  return std::int64_t(found->second.size());
}

}  // namespace local
