// Where a listener listens: host:port as a setting gives it, made into sockets or into one sentence why not.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "web/task.h"

namespace web {

using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;

// A listening socket that belongs to one process and serves another, which may come and go: connections wait in its
// queue meanwhile.
class ListeningSocket {
 public:
  // Binds and listens; port 0 picks a free one. Throws std::runtime_error as Server::listen does.
  explicit ListeningSocket(const std::string& listen);

  int descriptor() { return acceptor_.native_handle(); }
  std::string url() const;  // http://host:port with the port really bound

 private:
  boost::asio::io_context context_;
  Acceptor acceptor_;
};

// All of these throw std::runtime_error with one sentence when it cannot be done.
boost::asio::ip::tcp::endpoint resolve_listen(const std::string& listen, boost::asio::io_context&);
// Throws when somebody listens there already: SO_REUSEPORT would let a second box of the same user share the port.
void probe(const boost::asio::ip::tcp::endpoint&, boost::asio::io_context&);
// One of several acceptors on the same port (SO_REUSEPORT).
Acceptor open_shared_acceptor(const boost::asio::ip::tcp::endpoint&, boost::asio::io_context&);
// Accepts from a listening socket that stays its owner's.
Acceptor borrow_acceptor(int listening_socket, boost::asio::io_context&);

// An address that can be connected to from this machine.
std::string url_of(const boost::asio::ip::tcp::endpoint&, bool tls);

}  // namespace web
