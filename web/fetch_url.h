// What `fetch` accepts as a URL, read by libcurl's own parser so that judge and client cannot differ.
#pragma once

#include <string>

#include "web/result.h"

namespace web {

struct FetchUrl {
  std::string text;    // normalised; what libcurl is given
  std::string scheme;  // http or https
  std::string host;    // lower case; IPv6 in brackets
  std::string port;    // always set

  std::string authority() const { return host + ":" + port; }
  bool same_origin(const FetchUrl& other) const {
    return scheme == other.scheme && host == other.host && port == other.port;
  }
};

// Kind::invalid for what does not parse, has another scheme, or carries a user name or password.
Result<FetchUrl> parse_fetch_url(const std::string&);

}  // namespace web
