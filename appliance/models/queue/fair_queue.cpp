#include "appliance/models/queue/fair_queue.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace models {

namespace {

constexpr double share_of_latest = 0.2;  // in the moving average
constexpr std::uint64_t turn = 27'720;   // of a user of weight 1, in virtual time; the weights to 12 divide it

}  // namespace

WaitClass wait_class_named(std::string_view name) {
  auto named = WaitClass::person;
  boost::describe::enum_from_string(std::string(name).c_str(), named);
  return named;
}

std::string_view to_string(WaitClass wait_class) { return boost::describe::enum_to_string(wait_class, ""); }

FairQueue::Rank FairQueue::rank(Id id, const Waiting& request, Clock::time_point now) {
  const auto moved_up = static_cast<int>((now - request.since) / aging);
  return {.wait_class = std::max(0, static_cast<int>(request.wait_class) - moved_up), .start = request.start, .id = id};
}

FairQueue::Id FairQueue::join(WaitClass wait_class, const std::string& user, Clock::time_point now,
                              std::uint32_t weight) {
  const auto id = ++last_id_;
  auto& end = virtual_ends_[{wait_class, user}];
  const auto start = std::max(virtual_time_, end);
  end = start + turn / std::clamp<std::uint64_t>(weight, 1, turn);
  waiting_.emplace(id, Waiting{.wait_class = wait_class, .user = user, .since = now, .start = start, .end = end});
  return id;
}

void FairQueue::leave(Id id, Clock::time_point now) {
  if (const auto waiting = waiting_.find(id); waiting != waiting_.end()) {
    // Its turn goes to the user's next request.
    if (auto end = virtual_ends_.find({waiting->second.wait_class, waiting->second.user});
        end != virtual_ends_.end() && end->second == waiting->second.end)
      end->second = waiting->second.start;
    waiting_.erase(waiting);
    return;
  }
  const auto running = running_.find(id);
  if (running == running_.end()) return;
  usual_ += share_of_latest * (std::chrono::duration<double>(now - running->second) - usual_);
  running_.erase(running);
}

std::optional<FairQueue::Id> FairQueue::start_next(Clock::time_point now) {
  if (waiting_.empty() || (slots_ > 0 && running_.size() >= slots_)) return std::nullopt;
  const auto first =
      std::ranges::min_element(waiting_, {}, [now](const auto& entry) { return rank(entry.first, entry.second, now); });
  const auto id = first->first;
  virtual_time_ = std::max(virtual_time_, first->second.start);
  waiting_.erase(first);
  running_.emplace(id, now);
  std::erase_if(virtual_ends_, [this](const auto& user) { return user.second <= virtual_time_; });
  return id;
}

std::optional<FairQueue::Place> FairQueue::place_of(Id id, Clock::time_point now) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return std::nullopt;
  const auto own = rank(id, found->second, now);
  const auto before = static_cast<std::size_t>(
      std::ranges::count_if(waiting_, [&](const auto& entry) { return rank(entry.first, entry.second, now) < own; }));
  const auto slots = static_cast<double>(std::max<std::size_t>(1, slots_));
  const auto rounds = std::ceil(static_cast<double>(before + 1) / slots);
  return Place{.number = before + 1, .expected = std::chrono::ceil<std::chrono::seconds>(rounds * usual_)};
}

namespace {

constexpr std::string_view queued_mark = "queued ", about_mark = ", about ", seconds_mark = " s";

// The number that a text begins with, which is removed. Not set: it is none.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::string to_comment(const FairQueue::Place& place) {
  auto comment = std::string(queued_mark) + std::to_string(place.number);
  comment.append(about_mark).append(std::to_string(place.expected.count())).append(seconds_mark);
  return comment;
}

std::optional<FairQueue::Place> parse_place(std::string_view comment) {
  if (!comment.starts_with(queued_mark)) return std::nullopt;
  comment.remove_prefix(queued_mark.size());
  const auto number = take_number(comment);
  if (!number || !comment.starts_with(about_mark)) return std::nullopt;
  comment.remove_prefix(about_mark.size());
  const auto expected = take_number(comment);
  if (!expected || comment != seconds_mark) return std::nullopt;
  return FairQueue::Place{.number = static_cast<std::size_t>(*number), .expected = std::chrono::seconds(*expected)};
}

}  // namespace models
