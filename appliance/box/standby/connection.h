// The protocol between a box and its standby: frames over TLS. A frame is the size of its content (4 bytes,
// big-endian), its kind (1 byte), and its content. Numbers in contents are 8 bytes, big-endian; everything else is
// JSON, except for writes and pieces of files.
//
//   standby: hello, listing*, listing_end            box: welcome, or refusal and the end
//   box:     base_begin, (base_file, piece*)*, base_end, if it is to begin anew
//   box:     write*, beat*, (removed | folder | link | file, piece*)* tree_end, prove
//   standby: acknowledged*, proof, or problem and the end
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "web/task.h"

namespace standby {

enum class Kind : std::uint8_t {
  hello = 1,
  listing,
  listing_end,
  welcome,
  refusal,
  base_begin,
  base_file,
  piece,
  base_end,
  write,
  beat,
  acknowledged,
  removed,
  folder,
  link,
  file,
  tree_end,
  prove,
  proof,
  problem
};

struct Frame {
  Kind kind{};
  std::string content;
};

inline constexpr std::uint32_t max_content = 64u << 20;
inline constexpr std::size_t piece_size = 256u << 10;
inline constexpr std::chrono::milliseconds beat_interval{500};
inline constexpr std::chrono::seconds silence_limit{5};  // then the other is taken to be gone

std::string number(std::uint64_t);
// Of the 8 bytes at `at`; throws std::runtime_error if there are fewer.
std::uint64_t read_number(std::string_view content, std::size_t at = 0);

// On one thread. One send() and one receive() may be in progress at a time.
class Connection {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Socket = boost::asio::basic_stream_socket<Tcp, web::Executor>;

  Connection(Socket, boost::asio::ssl::context&);

  // Both throw boost::system::system_error, also when the other's certificate is not accepted.
  web::Task<> accept();
  web::Task<> connect(Tcp::endpoint);

  web::Task<> send(Kind, std::string_view first, std::string_view second = {});
  // Throws boost::system::system_error at the end, and std::runtime_error for what is no frame.
  web::Task<Frame> receive();
  // Whether bytes have arrived that receive() has not returned yet. It may miss some.
  bool has_more();
  // How long ago the last bytes came.
  std::chrono::steady_clock::duration silence() const { return std::chrono::steady_clock::now() - heard_; }
  // Operations in progress fail. Callable at any time on its thread.
  void close();

 private:
  boost::asio::ssl::stream<Socket> stream_;
  std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();
};

}  // namespace standby
