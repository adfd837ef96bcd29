#include "appliance/identity/oauth/form.h"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

namespace oauth {

std::string encoded(std::string_view text) { return boost::urls::encode(text, boost::urls::unreserved_chars); }

std::string form(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    if (!text.empty()) text += '&';
    text += encoded(name) + "=" + encoded(value);
  }
  return text;
}

std::string with_query(std::string url, const Parameters& parameters) {
  url += url.find('?') == std::string::npos ? '?' : '&';
  return url + form(parameters);
}

}  // namespace oauth
