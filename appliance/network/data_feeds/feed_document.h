// Reads RSS, Atom and JSON Feed, also if they are not well-formed.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "web/result.h"

namespace data_feeds {

struct Item {
  std::string id, title, link, summary;  // the summary may be HTML; the link is http, https or empty
  std::optional<store::Time> published;
};
BOOST_DESCRIBE_STRUCT(Item, (), (id, title, link, summary, published))

struct FeedDocument {
  std::string title, link, description;
  std::vector<Item> items;  // in the order of the source
};
BOOST_DESCRIBE_STRUCT(FeedDocument, (), (title, link, description, items))

inline constexpr std::size_t max_items = 200, max_text_bytes = 4'096;

// The first max_items items, each text cut to max_text_bytes. `url` is the feed's, for relative links, and
// `content_type` its header's. What is broken costs the entry's field, not the feed. bad_gateway: it is neither RSS,
// Atom nor JSON Feed, ends before its first item, nests deeper than 64 elements, or declares entities. Nothing is ever
// loaded from outside.
web::Result<FeedDocument> read_feed_document(std::string_view bytes, std::string_view url = "",
                                             std::string_view content_type = "");

}  // namespace data_feeds
