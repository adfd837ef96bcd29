// A page as text: its accessibility tree, with references to what can be used.
#pragma once

#include <boost/json/array.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace browser {

struct Element {
  std::string ref;        // "e7"
  std::int64_t node = 0;  // the browser's number of it (backendDOMNodeId)
  std::string role, name;
};

struct PageText {
  std::string text;  // a line for each part, indented by its depth
  std::vector<Element> elements;
  const Element* find(std::string_view ref) const;
  // The only one of this role and name; null if there is none, or several.
  const Element* find(std::string_view role, std::string_view name) const;
};

// `nodes`: as Accessibility.getFullAXTree returns them. Whatever is in them, the text has at most `max_bytes`, of
// which the first part is kept, and its lines are one line each.
PageText text_of_page(const boost::json::array& nodes, std::size_t max_bytes);

// Whether using it reaches others: everything but links, headings and what only unfolds a part of the page.
bool is_outward(const Element&);

}  // namespace browser
