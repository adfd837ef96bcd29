// The URLs that `fetch` accepts. libcurl's own parser reads them, so that check and client cannot differ.
#pragma once

#include <curl/curl.h>

#include <cstdint>
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
  std::shared_ptr<CURLU> parsed;  // in libcurl's form, only read by it

  std::uint16_t port_number() const { return static_cast<std::uint16_t>(std::stoi(port)); }
  std::string authority() const { return host + ":" + port; }
  bool same_origin(const FetchUrl& other) const {
    return scheme == other.scheme && host == other.host && port == other.port;
  }
};

// Kind::invalid for a URL that does not parse, has another scheme, or contains a user name or password.
Result<FetchUrl> parse_fetch_url(const std::string&);

// Whether its host is an address that is not public (is_public_address), or localhost. Other names are not looked up.
bool is_private_host(const FetchUrl&);

// The same with a cache, for the few URLs that are requested again and again. For one thread.
class UrlCache {
 public:
  Result<std::shared_ptr<const FetchUrl>> parse(const std::string&);

 private:
  std::unordered_map<std::string, std::shared_ptr<const FetchUrl>> cached_;
};

// A host name in ASCII, as DNS needs it (IDNA 2008: "bücher.example" is "xn--bcher-kva.example"). `name` is UTF-8.
// Returns nothing if it is not a host name.
std::optional<std::string> ascii_host(const std::string& name);

}  // namespace web
