#include "appliance/box/live_events/feed.h"

#include <boost/json.hpp>
#include <charconv>

#include "appliance/foundation/crypto/random.h"

namespace live_events {

namespace {

std::string reason(std::string_view sentence) {
  return boost::json::serialize(boost::json::object{{"reason", sentence}});
}

}  // namespace

Feed::Feed(store::UserId owner, std::size_t max_kept) : user(owner), id_(crypto::random_id(12)), max_kept_(max_kept) {}

void Feed::append(std::string name, std::string data) {
  const std::lock_guard lock(mutex_);
  kept_.push_back({.id = id_of(++last_), .name = std::move(name), .data = std::move(data)});
  if (kept_.size() > max_kept_) kept_.pop_front();
  wake_all();
}

void Feed::end(std::string_view sentence) {
  const std::lock_guard lock(mutex_);
  if (!ended_) ended_ = reason(sentence);
  wake_all();
}

std::optional<std::chrono::steady_clock::time_point> Feed::idle_since() const {
  const std::lock_guard lock(mutex_);
  if (!readers_.empty()) return std::nullopt;
  return left_at_;
}

std::optional<std::uint64_t> Feed::number_of(std::string_view id) const {
  if (!id.starts_with(id_ + ".")) return std::nullopt;
  id.remove_prefix(id_.size() + 1);
  std::uint64_t number = 0;
  const auto* const end = id.data() + id.size();
  const auto [rest, failure] = std::from_chars(id.data(), end, number);
  if (failure != std::errc() || rest != end || number > last_) return std::nullopt;
  return number;
}

void Feed::wake_all() const {
  for (auto* reader : readers_) reader->wake();
}

std::shared_ptr<Reader> Reader::open(std::shared_ptr<Feed> feed, const web::Executor& thread, std::string_view after) {
  std::shared_ptr<Reader> reader(new Reader(std::move(feed), thread));
  auto& of = *reader->feed_;
  const std::lock_guard lock(of.mutex_);
  reader->position_ = of.last_;
  if (!after.empty()) {
    const auto number = of.number_of(after);
    reader->is_lost_ = !number || *number + of.kept_.size() < of.last_;
    if (!reader->is_lost_) reader->position_ = *number;
  }
  of.readers_.insert(reader.get());
  return reader;
}

Reader::Reader(std::shared_ptr<Feed> feed, const web::Executor& thread)
    : feed_(std::move(feed)), thread_(thread), wake_(thread, web::Timer::time_point::max()) {}

Reader::~Reader() {
  const std::lock_guard lock(feed_->mutex_);
  feed_->readers_.erase(this);
  feed_->left_at_ = std::chrono::steady_clock::now();
}

// next() checks for events and starts to wait on the same thread, so no wake-up is lost.
void Reader::wake() {
  boost::asio::post(thread_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->wake_.cancel();
  });
}

web::Task<std::vector<Event>> Reader::next() {
  for (;;) {
    auto events = take();
    if (!events.empty()) co_return events;
    boost::system::error_code woken;
    co_await wake_.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
}

std::vector<Event> Reader::take() {
  const std::lock_guard lock(feed_->mutex_);
  const auto& kept = feed_->kept_;
  std::vector<Event> taken;
  if (position_ + kept.size() < feed_->last_) {
    position_ = feed_->last_;
    is_lost_ = true;
  }
  const auto here = [&](std::string name, std::string data) {
    taken.push_back({.id = feed_->id_of(position_), .name = std::move(name), .data = std::move(data)});
  };
  if (is_lost_)
    here("reset", reason("Events in between are no longer kept: load everything again."));
  else if (!has_begun_)
    here("ready", "{}");
  is_lost_ = false;
  has_begun_ = true;
  taken.insert(taken.end(), kept.end() - std::ptrdiff_t(feed_->last_ - position_), kept.end());
  position_ = feed_->last_;
  if (taken.empty() && feed_->ended_) here("end", *feed_->ended_);
  return taken;
}

}  // namespace live_events
