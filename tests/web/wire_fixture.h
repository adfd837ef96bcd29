// A real server on a loopback port, and a client that writes any bytes and reads what comes back.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/url/parse.hpp>
#include <cctype>
#include <charconv>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/routes/endpoint.h"
#include "web/server/server.h"

namespace web::tests {

struct Answer {
  int status = 0;                              // 0: none came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// Blocking, with a limit on every wait, so that a test fails instead of hanging.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { close(); }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_), input_(std::move(other.input_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  // False when the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void half_close() { ::shutdown(socket_, SHUT_WR); }
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  // The head of the next answer, interim ones (1xx) included; status 0 when the server closed instead.
  Answer head() {
    Answer answer;
    std::size_t end;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos)
      if (!receive()) return answer;
    std::string_view lines = std::string_view(input_).substr(0, end + 2);
    std::from_chars(lines.data() + 9, lines.data() + 12, answer.status);
    lines.remove_prefix(lines.find("\r\n") + 2);
    while (!lines.empty()) {
      const auto line = lines.substr(0, lines.find("\r\n"));
      const auto colon = line.find(": ");
      std::string name(line.substr(0, colon));
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      answer.headers[name] = line.substr(colon + 2);
      lines.remove_prefix(line.size() + 2);
    }
    input_.erase(0, end + 4);
    return answer;
  }
  // The next whole answer. `to_head`: one without a body.
  Answer answer(bool to_head = false) {
    auto answer = head();
    if (answer.status == 0 || to_head || answer.status == 204 || answer.status == 304 || answer.status < 200)
      return answer;
    if (const auto length = answer.headers.find("content-length"); length != answer.headers.end()) {
      answer.body = take(std::stoul(length->second));
    } else if (answer.headers.contains("transfer-encoding")) {
      for (;;) {
        const auto size = std::stoul(line(), nullptr, 16);
        answer.body += take(size);
        if (!take(2).ends_with("\n") || size == 0) break;
      }
    } else {
      answer.body = rest();
    }
    return answer;
  }
  std::string line() {
    std::size_t end;
    while ((end = input_.find("\r\n")) == std::string::npos)
      if (!receive()) return "0";
    auto found = input_.substr(0, end);
    input_.erase(0, end + 2);
    return found;
  }
  std::string take(std::size_t size) {
    while (input_.size() < size && receive()) {
    }
    auto taken = input_.substr(0, size);
    input_.erase(0, size);
    return taken;
  }
  // Everything until the server closes.
  std::string rest() {
    while (receive()) {
    }
    return std::exchange(input_, {});
  }
  // True when the server closes without another byte.
  bool closed() { return rest().empty() && !timed_out_; }
  int handle() const { return socket_; }

 private:
  bool receive() {
    char block[16 * 1024];
    const auto size = ::recv(socket_, block, sizeof block, 0);
    timed_out_ = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (size <= 0) return false;
    input_.append(block, static_cast<std::size_t>(size));
    return true;
  }

  int socket_;
  bool connected_ = false, timed_out_ = false;
  std::string input_;
};

inline const Guard open_door{
    .name = "none", .scheme = "", .admit = [](const Request&) -> Result<Caller> { return Caller{}; }};

// Serves /echo (the body back), /ask (says what it was asked), /gate (answers when the test opens it) and /long (a big
// text), and remembers what reached a handler.
class WireTest : public ::testing::Test {
 protected:
  explicit WireTest(unsigned threads = 2) : pool(threads) {
    options.name = "test";
    options.listen = "127.0.0.1:0";
    options.rate_limits = false;
    auto noted = [this](Request& request) { note(std::string(to_string(request.method)) + " " + request.path); };
    auto echo = [noted](Request& request) -> Task<Result<Response>> {
      noted(request);
      auto answer = text(std::string(request.body), "application/octet-stream");
      co_return answer;
    };
    auto ask = [noted](Request& request) -> Task<Result<Response>> {
      noted(request);
      auto answer = text(std::string(to_string(request.method)) + " " + std::string(request.target));
      co_return answer;
    };
    auto gate = [this, noted](Request& request) -> Task<Result<Response>> {
      noted(request);
      arrived.set_value();
      Timer poll(co_await boost::asio::this_coro::executor);
      while (!open) {
        poll.expires_after(std::chrono::milliseconds(2));
        co_await poll.async_wait(use_task);
      }
      auto answer = text("through the gate");
      co_return answer;
    };
    auto long_text = [noted](Request& request) -> Task<Result<Response>> {
      noted(request);
      auto answer = text(std::string(8u << 20, 'x'));
      co_return answer;
    };
    append(options.routes, {{POST, "/echo", open_door, nullptr, plain(echo), "The body back"},
                            {PUT, "/echo", open_door, nullptr, plain(echo), "The body back"},
                            {GET, "/ask", open_door, nullptr, plain(ask), "What was asked"},
                            {GET, "/gate", open_door, nullptr, plain(gate), "Waits"},
                            {GET, "/long", open_door, nullptr, plain(long_text), "A big text"}});
  }
  // Before the members of derived fixtures go.
  void TearDown() override {
    open = true;
    server.reset();
    pool.stop();
  }

  std::future<void> drain(std::chrono::seconds deadline) {
    return boost::asio::co_spawn(pool.next(), server->drain(deadline), boost::asio::use_future);
  }
  void serve() {
    const auto name = options.name;
    server.emplace(pool);
    server->listen(std::move(options));
    port = boost::urls::parse_uri(server->url(name)).value().port_number();
    pool.start();
  }
  RawClient client() { return RawClient(port); }
  // One exchange on a connection of its own.
  Answer ask(std::string_view bytes) {
    auto one = client();
    one.send(bytes);
    return one.answer();
  }
  void note(std::string what) {
    const std::lock_guard lock(mutex);
    reached_.push_back(std::move(what));
  }
  std::vector<std::string> reached() {
    const std::lock_guard lock(mutex);
    return reached_;
  }

  ListenerOptions options;
  IoPool pool;
  std::optional<Server> server;
  std::uint16_t port = 0;
  std::atomic<bool> open = false;
  std::promise<void> arrived;  // when /gate is entered

 private:
  std::mutex mutex;  // protects reached_
  std::vector<std::string> reached_;
};

inline std::string get(std::string_view path, std::string_view fields = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: box\r\n" + std::string(fields) + "\r\n";
}
inline std::string post(std::string_view body, std::string_view fields = {}) {
  return "POST /echo HTTP/1.1\r\nHost: box\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(fields) + "\r\n" + std::string(body);
}
inline std::string chunk(std::string_view data) {
  char size[20];
  const auto end = std::to_chars(size, size + sizeof size, data.size(), 16).ptr;
  return std::string(size, end) + "\r\n" + std::string(data) + "\r\n";
}
inline std::string chunked_post(std::string_view chunks, std::string_view fields = {}) {
  return "POST /echo HTTP/1.1\r\nHost: box\r\nTransfer-Encoding: chunked\r\n" + std::string(fields) + "\r\n" +
         std::string(chunks);
}

}  // namespace web::tests
