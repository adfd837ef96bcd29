#include "appliance/box/live_events/hub.h"

#include <boost/json.hpp>

#include "web/log.h"

namespace live_events {

namespace {

// What a source has answered, and its version from before it was asked.
struct Look {
  std::uint64_t version = 0;
  States states;
};

Look look(const Source& source, store::UserId user) {
  const auto version = source.version(user);
  return {.version = version, .states = source.read(user)};
}

void append_differences(Feed& feed, const std::string& event, const States& before, const States& after) {
  for (const auto& [id, state] : after) {
    const auto known = before.find(id);
    if (known == before.end() || known->second != state) feed.append(event, state);
  }
  for (const auto& [id, state] : before)
    if (!after.contains(id)) feed.append(event, removed(id));
}

}  // namespace

std::string removed(const std::string& id) {
  return boost::json::serialize(boost::json::object{{"id", id}, {"removed", true}});
}

// A user whose events are read, or were a moment ago.
struct Hub::Watched {
  Watched(store::UserId user, std::size_t max_kept) : feed(std::make_shared<Feed>(user, max_kept)) {}
  const std::shared_ptr<Feed> feed;
  std::vector<Look> looks;  // one for each source; used by round() alone once the user is known
};

struct Hub::Places {
  std::mutex mutex;  // protects the rest
  std::size_t taken = 0;
  std::map<store::UserId, std::size_t> taken_by;
};

class Hub::Slot {
 public:
  // Null beyond the limits.
  static std::shared_ptr<Slot> take(std::shared_ptr<Places> places, store::UserId user, const HubOptions& options) {
    const std::lock_guard lock(places->mutex);
    auto& own = places->taken_by[user];
    if (places->taken >= options.max_streams || own >= options.max_per_user) {
      if (own == 0) places->taken_by.erase(user);
      return nullptr;
    }
    ++places->taken;
    ++own;
    return std::shared_ptr<Slot>(new Slot(std::move(places), user));
  }
  ~Slot() {
    const std::lock_guard lock(places_->mutex);
    --places_->taken;
    if (--places_->taken_by[user_] == 0) places_->taken_by.erase(user_);
  }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  Slot(std::shared_ptr<Places> places, store::UserId user) : places_(std::move(places)), user_(user) {}
  const std::shared_ptr<Places> places_;
  const store::UserId user_;
};

Hub::Hub(std::vector<Source> sources, boost::asio::io_context& home, boost::asio::thread_pool& blocking,
         HubOptions options)
    : sources_(std::move(sources)),
      blocking_(blocking),
      options_(options),
      places_(std::make_shared<Places>()),
      rounds_(home, "events", options.pause, [this] { return round(); }) {}

Hub::~Hub() = default;

web::Task<> Hub::stop() {
  for (const auto& one : all()) one->feed->end("The box is shutting down.");
  co_await rounds_.stop();
}

web::Task<web::Result<std::shared_ptr<Reader>>> Hub::open(store::UserId user, std::string after) {
  const web::Executor thread = co_await boost::asio::this_coro::executor;
  auto slot = Slot::take(places_, user, options_);
  if (!slot)
    co_return web::Error{.kind = web::Kind::too_many,
                         .message = "Too many event streams are open: close some of them."};
  auto found = find(user);
  if (!found) {
    // What is there before the first event is not an event.
    auto fresh = std::make_shared<Watched>(user, options_.max_kept);
    const auto look_everywhere = [this, user] {
      std::vector<Look> looks;
      for (const auto& source : sources_) looks.push_back(look(source, user));
      return looks;
    };
    fresh->looks = co_await web::offload(blocking_, look_everywhere);
    const std::lock_guard lock(mutex_);
    found = watched_.try_emplace(user, std::move(fresh)).first->second;
  }
  // The slot is kept for as long as the reader.
  struct Held {
    std::shared_ptr<Reader> reader;
    std::shared_ptr<Slot> slot;
  };
  const auto held = std::make_shared<Held>(Held{Reader::open(found->feed, thread, after), std::move(slot)});
  co_return std::shared_ptr<Reader>(held, held->reader.get());
}

void Hub::end(store::UserId user, std::string_view reason) {
  std::shared_ptr<Watched> ended;
  {
    const std::lock_guard lock(mutex_);
    const auto found = watched_.find(user);
    if (found == watched_.end()) return;
    ended = std::move(found->second);
    watched_.erase(found);
  }
  ended->feed->end(reason);
}

std::shared_ptr<Hub::Watched> Hub::find(store::UserId user) const {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(user);
  return found == watched_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Hub::Watched>> Hub::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Watched>> found;
  for (const auto& [user, one] : watched_) found.push_back(one);
  return found;
}

web::Task<> Hub::round() {
  for (const auto& one : all()) {
    const auto idle = one->feed->idle_since();
    if (!idle && options_.looking) options_.looking(one->feed->user);
    if (idle && std::chrono::steady_clock::now() - *idle > options_.kept)
      end(one->feed->user, "Nobody has read these events for a while.");
    else
      co_await compare(one);
  }
}

// A source that cannot be read is asked again when it has changed once more.
web::Task<> Hub::compare(std::shared_ptr<Watched> one) {
  const auto user = one->feed->user;
  for (std::size_t at = 0; at < sources_.size(); ++at) {
    const auto& source = sources_[at];
    auto& known = one->looks[at];
    const auto version = source.version(user);
    if (version == known.version) continue;
    known.version = version;
    try {
      const auto look_again = [&source, user] { return look(source, user); };
      auto fresh = co_await web::offload(blocking_, look_again);
      append_differences(*one->feed, source.event, known.states, fresh.states);
      known = std::move(fresh);
    } catch (const std::exception& error) {
      web::log::warning("events_not_read", {{"event", source.event}, {"reason", std::string(error.what())}});
    }
  }
}

}  // namespace live_events
