// The host names that a listener answers to. A browser that was led to the box by a name of somebody else (DNS
// rebinding) sends that name.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace web {

// Immutable: callable from every thread.
class HostList {
 public:
  // Names and address literals without a port, in any case. ".example.org" stands for all names under example.org.
  explicit HostList(const std::vector<std::string>& hosts);

  // No list: every host is known.
  bool empty() const { return names_.empty() && domains_.empty(); }
  // `host` as in Request::host; empty is known, since every browser sends one. Also known is the address that the
  // connection arrived at, and localhost if that is a loopback address.
  bool knows(std::string_view host, const boost::asio::ip::address& local) const;

 private:
  std::vector<std::string> names_, domains_;  // lower case; domains with their leading dot
};

}  // namespace web
