// Opens listening sockets for the host:port of a setting.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "web/task.h"

namespace web {

using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;

// A listening socket owned by one process and used by another, which may restart; connections wait in the queue
// meanwhile.
class ListeningSocket {
 public:
  // Binds and listens; port 0 picks a free one. Throws std::runtime_error as Server::listen does.
  explicit ListeningSocket(const std::string& listen);

  int descriptor() { return acceptor_.native_handle(); }
  std::string url() const;  // http://host:port with the bound port

 private:
  boost::asio::io_context context_;
  Acceptor acceptor_;
};

// All of these throw std::runtime_error with one sentence on failure.
boost::asio::ip::tcp::endpoint resolve_listen(const std::string& listen, boost::asio::io_context&);
// Throws if the port is already in use: SO_REUSEPORT would let a second box of the same user share it.
void probe(const boost::asio::ip::tcp::endpoint&, boost::asio::io_context&);
// One of several acceptors on the same port (SO_REUSEPORT).
Acceptor open_shared_acceptor(const boost::asio::ip::tcp::endpoint&, boost::asio::io_context&);
// Accepts from a listening socket that the caller still owns.
Acceptor borrow_acceptor(int listening_socket, boost::asio::io_context&);

// Connections that wait to be accepted, at most.
inline constexpr int longest_queue = 4096;
// Has the kernel ignore new clients, which try again a second later; those whose handshake is in progress can still be
// accepted. False if the kernel does not support it.
bool ignore_new_clients(Acceptor&);

// An address that can be connected to from this machine.
std::string url_of(const boost::asio::ip::tcp::endpoint&, bool tls);

}  // namespace web
