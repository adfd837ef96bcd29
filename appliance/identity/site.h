// The public web address of the box, for redirects, links and signed messages.
#pragma once

#include <string>
#include <string_view>

namespace agentbox {

struct Settings;

class Site {
 public:
  // `configured`: BASE_URL, may be empty. Its path, if any, is ignored.
  explicit Site(std::string configured);
  // The address of the web listener; called once, before anything is served.
  void set_listener(std::string url);

  // scheme://host[:port], lower case, without the default port and without a trailing slash.
  const std::string& origin() const { return origin_; }
  std::string host() const;  // without port
  // The host if it is a domain name, which browsers require for passkeys; "localhost" for a box on a loopback address
  // without a BASE_URL; otherwise empty.
  std::string domain() const;
  // The origin of that domain, where passkeys work and which people should open; empty without one.
  std::string passkey_origin() const;
  std::string url(std::string_view path) const { return origin_ + std::string(path); }
  // A page of the console for people, at the origin where they can use passkeys if there is one.
  std::string page_url(std::string_view path) const;
  // Whether an origin is this box. Without a BASE_URL, a box on a loopback address is reachable by that address and as
  // localhost.
  bool is_ours(std::string_view origin) const;

 private:
  const bool is_configured_;
  std::string origin_;
};

// scheme://host[:port] of an http or https URL, as above; empty for anything else, and for a URL with a user name.
std::string origin_of(std::string_view url);

// Whether the web listener or BASE_URL is not of this machine alone.
bool is_reached_by_others(const Settings&);

}  // namespace agentbox
