// Text within HTML, XML and what chats make of them.
#pragma once

#include <string>
#include <string_view>

namespace web {

// With &, < and > as entities: for the content of an element, not for attributes.
std::string escape_markup(std::string_view text);
// Quotation marks, too: for an attribute's value in double quotes.
std::string escape_attribute(std::string_view text);

}  // namespace web
