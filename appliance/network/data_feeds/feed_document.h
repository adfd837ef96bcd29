// Reads RSS and Atom.
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

inline constexpr std::size_t most_items = 200, most_text_bytes = 4'096;

// The first most_items items, each text cut to most_text_bytes. bad_gateway: it is not well-formed, is neither RSS nor
// Atom, nests deeper than 64 elements, or declares entities. Nothing is ever loaded from outside.
web::Result<FeedDocument> read_feed_document(std::string_view bytes);

}  // namespace data_feeds
