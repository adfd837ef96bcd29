#include "appliance/box/standby/connection.h"

#include <openssl/ssl.h>

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <stdexcept>

namespace standby {

namespace {

constexpr std::size_t head_size = 5;

}  // namespace

std::string number(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t at = 8; at-- > 0; value >>= 8) bytes[at] = static_cast<char>(value & 0xff);
  return bytes;
}

std::uint64_t read_number(std::string_view content, std::size_t at) {
  if (content.size() < at + 8) throw std::runtime_error("a frame is too short");
  std::uint64_t value = 0;
  for (const char byte : content.substr(at, 8)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

Connection::Connection(Socket socket, boost::asio::ssl::context& context) : stream_(std::move(socket), context) {}

web::Task<> Connection::accept() {
  stream_.next_layer().set_option(Tcp::no_delay(true));
  co_await stream_.async_handshake(boost::asio::ssl::stream_base::server, web::use_task);
  heard_ = std::chrono::steady_clock::now();
}

web::Task<> Connection::connect(Tcp::endpoint to) {
  co_await stream_.next_layer().async_connect(to, web::use_task);
  stream_.next_layer().set_option(Tcp::no_delay(true));
  co_await stream_.async_handshake(boost::asio::ssl::stream_base::client, web::use_task);
  heard_ = std::chrono::steady_clock::now();
}

web::Task<> Connection::send(Kind kind, std::string_view first, std::string_view second) {
  const auto size = first.size() + second.size();
  if (size > max_content) throw std::runtime_error("a frame is too large");
  std::string bytes;
  bytes.reserve(head_size + size);
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(size >> shift & 0xff));
  bytes.push_back(static_cast<char>(kind));
  bytes.append(first).append(second);
  co_await boost::asio::async_write(stream_, boost::asio::buffer(bytes), web::use_task);
}

web::Task<Frame> Connection::receive() {
  std::array<unsigned char, head_size> head{};
  co_await boost::asio::async_read(stream_, boost::asio::buffer(head), web::use_task);
  heard_ = std::chrono::steady_clock::now();
  std::uint32_t size = 0;
  for (std::size_t at = 0; at < 4; ++at) size = size << 8 | head.at(at);
  if (size > max_content || head[4] < static_cast<unsigned>(Kind::hello) ||
      head[4] > static_cast<unsigned>(Kind::problem))
    throw std::runtime_error("the other side does not speak this protocol");
  Frame frame{static_cast<Kind>(head[4]), std::string(size, '\0')};
  co_await boost::asio::async_read(stream_, boost::asio::buffer(frame.content), web::use_task);
  heard_ = std::chrono::steady_clock::now();
  co_return frame;
}

bool Connection::has_more() {
  boost::system::error_code unknown;
  return SSL_pending(stream_.native_handle()) > 0 || stream_.next_layer().available(unknown) > 0;
}

void Connection::close() {
  boost::system::error_code ignored;
  stream_.next_layer().close(ignored);
}

}  // namespace standby
