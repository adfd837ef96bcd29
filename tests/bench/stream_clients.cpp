// Opens COUNT streams of model_upstream.cpp's tokens, a thousand a second, through whatever listens at PORT, and reads
// them to their end. Prints how late the tokens were, in milliseconds: {"tokens", "p50", "p99", "max", "failed"}.
// usage: stream_clients PORT PATH BEARER_FILE COUNT < BODY; the file has one bearer a line, given to the streams in
// turn
#include <algorithm>
#include <boost/asio.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Seen {
  std::vector<double> delays;  // milliseconds
  int failed = 0;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(asio::io_context& context, std::string request, Seen& seen)
      : socket_(context), timer_(context), request_(std::move(request)), seen_(seen) {}

  void open_after(std::chrono::milliseconds pause, unsigned short port) {
    timer_.expires_after(pause);
    timer_.async_wait([self = shared_from_this(), port](boost::system::error_code) { self->open(port); });
  }

 private:
  void open(unsigned short port) {
    socket_.async_connect(
        {asio::ip::make_address("127.0.0.1"), port}, [self = shared_from_this()](boost::system::error_code error) {
          if (error) return self->fail();
          asio::async_write(
              self->socket_, asio::buffer(self->request_),
              [self](boost::system::error_code failure, std::size_t) { failure ? self->fail() : self->read(); });
        });
  }

  void fail() { ++seen_.failed; }

  void read() {
    socket_.async_read_some(asio::buffer(bytes_),
                            [self = shared_from_this()](boost::system::error_code error, std::size_t count) {
                              if (error) return self->fail();
                              self->text_.append(self->bytes_.data(), count);
                              if (!std::exchange(self->has_begun_, true) && !self->is_accepted()) return self->fail();
                              if (!self->take()) self->read();
                            });
  }

  bool is_accepted() const {
    if (text_.starts_with("HTTP/1.1 200 ")) return true;
    std::fprintf(stderr, "%s\n", text_.c_str());
    return false;
  }

  // Takes the tokens that have come. True: that was the end of the stream.
  bool take() {
    constexpr std::string_view mark = "\"content\":\"";
    const auto now =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    std::size_t done = 0;
    for (auto at = text_.find(mark); at != text_.npos; at = text_.find(mark, done)) {
      const auto end = text_.find('"', at + mark.size());
      if (end == text_.npos) break;
      if (const auto sent = std::atoll(text_.c_str() + at + mark.size()); sent > 0)
        seen_.delays.push_back(static_cast<double>(now - sent) / 1000);
      done = end;
    }
    const bool is_over = text_.find("[DONE]", done) != text_.npos;
    constexpr std::size_t longest_rest = 4096;
    text_.erase(0, std::max(done, text_.size() > longest_rest ? text_.size() - longest_rest : 0));
    return is_over;
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  const std::string request_;
  Seen& seen_;
  std::array<char, 8192> bytes_;
  std::string text_;
  bool has_begun_ = false;
};

double at_share(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: stream_clients PORT PATH BEARER_FILE COUNT < BODY\n");
    return 2;
  }
  std::vector<std::string> bearers;
  std::ifstream file(argv[3]);
  for (std::string line; std::getline(file, line);) bearers.push_back(line);
  const std::string body{std::istreambuf_iterator<char>(std::cin), {}};
  asio::io_context context(1);
  Seen seen;
  const int count = std::atoi(argv[4]);
  for (int number = 0; number < count; ++number) {
    const auto& bearer = bearers.at(static_cast<std::size_t>(number) % bearers.size());
    auto request = "POST " + std::string(argv[2]) +
                   " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + "Authorization: Bearer " +
                   bearer + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    std::make_shared<Stream>(context, std::move(request), seen)
        ->open_after(std::chrono::milliseconds(number), static_cast<unsigned short>(std::atoi(argv[1])));
  }
  context.run();
  std::sort(seen.delays.begin(), seen.delays.end());
  std::printf("{\"tokens\": %zu, \"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f, \"failed\": %d}\n", seen.delays.size(),
              at_share(seen.delays, 0.5), at_share(seen.delays, 0.99), at_share(seen.delays, 1), seen.failed);
}
