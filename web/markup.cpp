#include "web/markup.h"

#include <boost/algorithm/string/replace.hpp>

namespace web {

std::string escape_markup(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

std::string escape_attribute(std::string_view text) {
  std::string safe = escape_markup(text);
  boost::algorithm::replace_all(safe, "\"", "&quot;");
  return safe;
}

}  // namespace web
