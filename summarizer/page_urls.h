// Finds addresses in a page: <base>, and the many places for the address of a picture.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "summarizer/tree.h"
#include "summarizer/url.h"

namespace summarizer {

// `url` is the page's address after redirects; the first <base href> counts.
UrlResolver urls_of(const Tree&, std::string_view url);

// The absolute address of the <img> at this node, also if it is lazily loaded, in a srcset, or only in the <source>s of
// its <picture>; nothing if there is none.
std::optional<std::string> image_address(const GumboNode&, const UrlResolver&);

}  // namespace summarizer
