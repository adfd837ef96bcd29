// The dates of RSS and Atom.
#pragma once

#include <optional>
#include <string_view>

#include "store/store.h"

namespace data_feeds {

// RFC 822 as RSS has it, with two or four digits of the year ("Tue, 10 Jun 2003 04:00:00 GMT"), or RFC 3339. Nothing
// for anything else: feeds have many more forms, and none of them is sure.
std::optional<store::Time> parse_feed_date(std::string_view text);

}  // namespace data_feeds
