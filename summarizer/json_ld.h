// Structured data of a page: <script type="application/ld+json">.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <string_view>

namespace summarizer {

// Every such script that is JSON, in order; at most 16, of 64 KB each. `html` is the page as UTF-8 before the guard,
// which drops scripts. Linear.
boost::json::array json_ld_of(std::string_view html);

// The articleBody of an item about a text, as markup of its own; empty if there is none, or in a script of over 1 MB.
std::string article_body_of(std::string_view html);

// The first string at `path` ("author.name") of an item that has it; arrays and @graph are searched, and a string
// counts as an object with that name. Items about a page or an article come first. Empty if there is none.
std::string json_ld_text(const boost::json::array& items, std::string_view path);

}  // namespace summarizer
