// URIs by Boost.URL, whose parser takes "http://127.0.0.1x.example/" for the host 127.0.0.1 with the path "x.example/"
// (1.74 and 1.81, seen; the same with an IPv6 address). RFC 3986, 3.2.2 has such a host as a name, and other parsers,
// curl's among them, connect to it.
#pragma once

#include <boost/url/grammar/error.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <string_view>

namespace web {

// boost::urls::parse_uri, without what it misreads: a path after an authority begins with a slash.
inline boost::urls::result<boost::urls::url_view> parse_uri(std::string_view text) {
  auto url = boost::urls::parse_uri(text);
  if (url && url->has_authority() && !url->encoded_path().empty() && url->encoded_path().front() != '/')
    return boost::urls::grammar::error::invalid;
  return url;
}

}  // namespace web
