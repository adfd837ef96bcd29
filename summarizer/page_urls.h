// Addresses where a page keeps them: <base>, and the many places of a picture's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "summarizer/tree.h"
#include "summarizer/url.h"

namespace summarizer {

// `url` is where the page came from, after redirects; its first <base href> counts.
UrlResolver urls_of(const Tree&, std::string_view url);

// The absolute address of the <img> at this node, also of one that is loaded late, chosen from a set, or said by the
// <source>s of its <picture> alone; nothing when there is none.
std::optional<std::string> image_address(const GumboNode&, const UrlResolver&);

}  // namespace summarizer
