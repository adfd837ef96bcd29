// The box's own public web address, as redirects, links and signed messages name it.
#pragma once

#include <string>
#include <string_view>

namespace agentbox {

class Site {
 public:
  // `configured`: BASE_URL, may be empty. Its path, if any, is not part of the site.
  explicit Site(std::string configured);
  // Where the web listener turned out to listen; called once, before anything is served.
  void set_listener(std::string url);

  // scheme://host[:port], lower case, without the scheme's own port and without a slash at the end.
  const std::string& origin() const { return origin_; }
  std::string host() const;  // without port
  // The host where it is a name, which browsers want of a site that uses passkeys; "localhost" for a box on a loopback
  // address without a BASE_URL; else empty.
  std::string domain() const;
  std::string url(std::string_view path) const { return origin_ + std::string(path); }
  // Whether a browser's origin is this box. Without a BASE_URL, a box on a loopback address is reached by that address
  // and as localhost.
  bool is_ours(std::string_view origin) const;

 private:
  const bool is_configured_;
  std::string origin_;
};

// scheme://host[:port] of an http or https URL, as above; empty for anything else, also with a user name in it.
std::string origin_of(std::string_view url);

}  // namespace agentbox
