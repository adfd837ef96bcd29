// A TCP connection to an address that was checked beforehand, with a deadline.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/deadline.h"
#include "appliance/foundation/descriptor.h"
#include "web/client/outbound.h"

namespace git {

// Where connections may go.
struct Route {
  std::string host;  // as libgit2 passes it: lower case, IPv6 without brackets
  std::uint16_t port = 0;
  std::vector<boost::asio::ip::address> addresses;  // tried in this order
};

// Both arguments must outlive it.
class Connection {
 public:
  Connection(const Route& route, const Deadline& deadline) : route_(route), deadline_(deadline) {}

  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Tries the addresses one after another. 0, or the errno of the last; EACCES if outbound.h refuses the host.
  int open();
  void close();
  int fd() const { return fd_.get(); }
  // For POLLIN, POLLOUT or both. 1: ready; 0: the deadline has passed; -1: errno.
  int wait_for(short events) const;

 private:
  int connect_to(const boost::asio::ip::address&);

  const Route& route_;
  const Deadline& deadline_;
  files::Descriptor fd_;  // non-blocking
  std::optional<web::Outbound::Passage> passage_;
};

}  // namespace git
