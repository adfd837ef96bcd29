// What `fetch` accepts as a URL, read by libcurl's own parser so that judge and client cannot differ.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "web/result.h"

namespace web {

struct FetchUrl {
  std::string text;               // normalised
  std::string scheme;             // http or https
  std::string host;               // lower case, ASCII; IPv6 in brackets
  std::string port;               // always set
  std::shared_ptr<CURLU> parsed;  // the same for libcurl, which only reads it

  std::string authority() const { return host + ":" + port; }
  bool same_origin(const FetchUrl& other) const {
    return scheme == other.scheme && host == other.host && port == other.port;
  }
};

// Kind::invalid for what does not parse, has another scheme, or carries a user name or password.
Result<FetchUrl> parse_fetch_url(const std::string&);

// The same, for URLs of which few are asked for again and again: what they parsed to is remembered. For one thread.
class KnownUrls {
 public:
  Result<std::shared_ptr<const FetchUrl>> parse(const std::string&);

 private:
  std::unordered_map<std::string, std::shared_ptr<const FetchUrl>> known_;
};

// A host's name in ASCII, as look-ups want it (IDNA 2008: "bücher.example" is "xn--bcher-kva.example"). Nothing when it
// is no name of a host. The name is UTF-8.
std::optional<std::string> ascii_host(const std::string& name);

}  // namespace web
