// The feeds that the administrator configured, and what their sources last sent.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/data_feeds/records.h"
#include "web/result.h"
#include "web/task.h"

namespace data_feeds {

inline constexpr std::int64_t max_feeds = 100;

struct NewFeed {
  std::string name;
  Format format = Format::json;
  std::string url, description;
  std::chrono::seconds interval{900};
};

struct Source {
  Feed feed;
  std::optional<Answer> answer;  // none: it was not asked yet
};

// What one attempt at a source brought.
struct Fetched {
  std::optional<std::string> content;  // JSON text; none: unchanged, or it failed
  std::string etag, last_modified;     // of the content
  std::string error;                   // empty: it succeeded
};

// Callable from every thread; must not outlive the store.
class DataFeeds {
 public:
  explicit DataFeeds(store::System system) : system_(std::move(system)) {}

  std::vector<Source> list() const;  // by name
  std::optional<Source> find(std::string_view name) const;
  // Replaces a feed of this name; what its source sent is kept unless the source changes. invalid: the name or the URL.
  // too_many: there are max_feeds.
  web::Task<web::Result<Feed>> set(NewFeed);
  // not_found.
  web::Task<web::Result<void>> remove(std::string name);
  // Ignored if the feed has been changed or removed since it was read.
  web::Task<> keep(Feed, Fetched, store::Time now);

 private:
  store::System system_;
};

}  // namespace data_feeds
