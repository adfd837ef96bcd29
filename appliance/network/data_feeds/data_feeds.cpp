#include "appliance/network/data_feeds/data_feeds.h"

#include <algorithm>

#include "store/transact.h"
#include "web/ascii.h"

namespace data_feeds {

namespace {

constexpr std::size_t longest_name = 40;
const store::CounterName count{"data_feeds"};

bool is_name(std::string_view name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
  return !name.empty() && name.size() <= longest_name && std::ranges::all_of(name, allowed);
}

bool is_same_source(const Feed& one, const Feed& other) {
  return one.format == other.format && one.url.clear == other.url.clear;
}

}  // namespace

std::vector<Source> DataFeeds::list() const {
  std::vector<Source> found;
  system_.each<Feed, std::string>(feeds, [&](const Feed& feed) {
    found.push_back({feed, {}});
    return true;
  });
  for (auto& source : found)
    if (auto row = system_.get(answers, source.feed.name)) source.answer = std::move(row->value);
  return found;
}

std::optional<Source> DataFeeds::find(std::string_view name) const {
  auto feed = system_.get(feeds, std::string(name));
  if (!feed) return std::nullopt;
  Source source{std::move(feed->value), {}};
  if (auto answer = system_.get(answers, source.feed.name)) source.answer = std::move(answer->value);
  return source;
}

web::Task<web::Result<Feed>> DataFeeds::set(NewFeed given) {
  if (!is_name(given.name)) co_return web::invalid("name must be 1 to 40 lower-case letters, digits, '-' and '_'");
  if (!given.url.starts_with("https://") && !given.url.starts_with("http://"))
    co_return web::invalid("url must be an http or https URL");
  Feed feed{.name = given.name,
            .format = given.format,
            .url = {given.url},
            .description = given.description,
            .interval_seconds = given.interval.count(),
            .created_at = store::now()};
  const auto step = [&](store::Change& change) -> web::Result<Feed> {
    if (auto row = system_.get(feeds, feed.name)) {
      if (!is_same_source(row->value, feed))
        if (const auto answer = system_.get(answers, feed.name)) change.erase(answers, *answer);
      feed.created_at = row->value.created_at;
      row->value = feed;
      change.update(feeds, *row);
    } else {
      change.insert(feeds, feed);
      change.add(0, count, 1, max_feeds);
    }
    return feed;
  };
  const auto refused = [](const store::Outcome& outcome) -> std::optional<web::Result<Feed>> {
    if (outcome.kind != store::Outcome::Kind::over_bound) return std::nullopt;
    return web::Error{.kind = web::Kind::too_many, .message = "The box has its 100 data feeds"};
  };
  co_return co_await store::transact(system_, step, refused);
}

web::Task<web::Result<void>> DataFeeds::remove(std::string name) {
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto feed = system_.get(feeds, name);
    if (!feed) return web::not_found("No such data feed");
    change.erase(feeds, *feed);
    change.add(0, count, -1);
    if (const auto answer = system_.get(answers, name)) change.erase(answers, *answer);
    return web::Result<void>();
  };
  co_return co_await store::transact(system_, step);
}

web::Task<> DataFeeds::keep(Feed feed, Fetched fetched, store::Time now) {
  for (;;) {
    const auto current = system_.get(feeds, feed.name);
    if (!current || !is_same_source(current->value, feed)) co_return;
    auto row = system_.get(answers, feed.name);
    Answer answer = row ? row->value : Answer{.feed = feed.name};
    answer.error = fetched.error;
    answer.next_at = now + std::chrono::seconds(current->value.interval_seconds);
    if (fetched.error.empty()) answer.fetched_at = now;
    if (fetched.content) {
      answer.content = *fetched.content;
      answer.etag = fetched.etag;
      answer.last_modified = fetched.last_modified;
    }
    auto change = system_.change();
    change.require(feeds, *current);
    if (row) {
      row->value = answer;
      change.update(answers, *row);
    } else {
      change.insert(answers, answer);
    }
    // Relaxed: what is lost is fetched again.
    const auto outcome = co_await change.commit(store::Durability::relaxed);
    if (outcome.ok()) co_return;
  }
}

}  // namespace data_feeds
