// What is stored about data feeds: what the administrator configured, and the last good answer of each source.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "store/store.h"

namespace data_feeds {

// rss: RSS 0.9x, 1.0 and 2.0, and Atom.
BOOST_DEFINE_ENUM_CLASS(Format, json, rss)

struct Feed {
  std::string name;
  Format format = Format::json;
  store::Sealed url;  // its query may hold a key
  std::string description;
  std::int64_t interval_seconds = 0;
  store::Time created_at{};
};
BOOST_DESCRIBE_STRUCT(Feed, (), (name, format, url, description, interval_seconds, created_at))

inline const store::Global<Feed> feeds{{.family = "data_feeds", .number = 94}, &Feed::name, {}};

struct Answer {
  std::string feed;
  std::string content;                    // JSON text; empty: the source has not answered well yet
  std::string etag, last_modified;        // of that content
  std::optional<store::Time> fetched_at;  // when the source last sent or confirmed the content
  store::Time next_at{};                  // of the next attempt
  std::string error;                      // of the last attempt; empty if it succeeded
};
BOOST_DESCRIBE_STRUCT(Answer, (), (feed, content, etag, last_modified, fetched_at, next_at, error))

inline const store::Global<Answer> answers{{.family = "data_feed_answers", .number = 95}, &Answer::feed, {}};

}  // namespace data_feeds
