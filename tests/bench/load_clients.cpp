// Clients that ask as fast as they are answered, or at a given rate, whatever the answers are.
// usage: load_clients PORT CONNECTIONS SECONDS [RATE]
// Requests come from stdin, separated by NUL, and are sent in turn on kept connections; one that the server closes is
// opened anew. Without RATE each connection sends its next request after an answer. With RATE requests a second are
// due, and the time of one that no connection was free for counts from when it was due. Prints
// {"rate", "p50", "p99", "refused", "refused_p99", "failed"}: answers with 200 a second and their milliseconds, then of
// 503, then lost connections and all other answers.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Connection {
  int socket = -1;
  bool is_asking = false;
  Clock::time_point due;
  std::string input;
};

class Load {
 public:
  Load(std::uint16_t port, std::size_t connections, double rate, std::vector<std::string> requests)
      : port_(port),
        rate_(rate),
        requests_(std::move(requests)),
        connections_(connections),
        epoll_(::epoll_create1(0)) {}

  void run(Clock::duration time) {
    for (std::size_t at = 0; at < connections_.size(); ++at) {
      open(at);
      free_.push_back(at);
    }
    began_ = Clock::now();
    const auto end = began_ + time;
    std::vector<epoll_event> events(1024);
    while (Clock::now() < end) {
      send_due();
      const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), rate_ > 0 ? 0 : 10);
      for (int i = 0; i < count; ++i) receive(events[static_cast<std::size_t>(i)].data.u64);
    }
    seconds_ = std::chrono::duration<double>(Clock::now() - began_).count();
  }

  void print() {
    std::printf(R"({"rate":%.1f,"p50":%.3f,"p99":%.3f,"refused":%.1f,"refused_p99":%.3f,"failed":%zu})"
                "\n",
                static_cast<double>(served_.size()) / seconds_, percentile(served_, 0.5), percentile(served_, 0.99),
                static_cast<double>(refused_.size()) / seconds_, percentile(refused_, 0.99), failed_);
  }

 private:
  void open(std::size_t at) {
    auto& one = connections_[at];
    if (one.socket >= 0) ::close(one.socket);
    one.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    one.input.clear();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(one.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(one.socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      std::perror("connect");
      std::exit(1);
    }
    ::fcntl(one.socket, F_SETFL, O_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = at}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, one.socket, &event);
  }

  void send_due() {
    const auto now = Clock::now();
    while (!free_.empty()) {
      auto due = now;
      if (rate_ > 0) {
        due = began_ + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(static_cast<double>(sent_) / rate_));
        if (due > now) return;
      }
      const auto at = free_.back();
      free_.pop_back();
      send(at, due);
    }
  }

  void send(std::size_t at, Clock::time_point due) {
    auto& one = connections_[at];
    const auto& request = requests_[sent_++ % requests_.size()];
    one.is_asking = true;
    one.due = due;
    // A small request fits the send buffer of an idle connection; an error shows as its end.
    static_cast<void>(::send(one.socket, request.data(), request.size(), MSG_NOSIGNAL));
  }

  void receive(std::size_t at) {
    auto& one = connections_[at];
    char block[16 * 1024];
    const auto size = ::recv(one.socket, block, sizeof block, 0);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      failed_ += one.is_asking ? 1 : 0;
      const bool was_asking = std::exchange(one.is_asking, false);
      open(at);
      if (was_asking) free_.push_back(at);
      return;
    }
    one.input.append(block, static_cast<std::size_t>(size));
    const auto head = one.input.find("\r\n\r\n");
    if (head == std::string::npos) return;
    const auto length_at = one.input.find("Content-Length: ");
    std::size_t length = 0;
    if (length_at < head) {
      const char* digits = one.input.data() + length_at + 16;
      std::from_chars(digits, one.input.data() + head, length);
    }
    if (one.input.size() < head + 4 + length) return;
    const auto status = std::string_view(one.input).substr(9, 3);
    const auto took = std::chrono::duration<double, std::milli>(Clock::now() - one.due).count();
    if (status == "200")
      served_.push_back(took);
    else if (status == "503")
      refused_.push_back(took);
    else
      ++failed_;
    const bool is_closing = std::string_view(one.input).substr(0, head).find("Connection: close") != std::string::npos;
    one.input.clear();
    one.is_asking = false;
    if (is_closing) open(at);
    if (rate_ > 0)
      free_.push_back(at);
    else
      send(at, Clock::now());
  }

  static double percentile(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(values.size() - 1) * share);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  const std::uint16_t port_;
  const double rate_;
  const std::vector<std::string> requests_;
  std::vector<Connection> connections_;
  std::vector<std::size_t> free_;
  const int epoll_;
  std::size_t sent_ = 0, failed_ = 0;
  std::vector<double> served_, refused_;
  Clock::time_point began_;
  double seconds_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fputs("usage: load_clients PORT CONNECTIONS SECONDS [RATE] < REQUESTS\n", stderr);
    return 2;
  }
  std::vector<std::string> requests;
  for (std::string one; std::getline(std::cin, one, '\0');) requests.push_back(one);
  if (requests.empty()) {
    std::fputs("load_clients: no request on stdin\n", stderr);
    return 2;
  }
  Load load(static_cast<std::uint16_t>(std::atoi(arguments[1])), static_cast<std::size_t>(std::atoi(arguments[2])),
            count > 4 ? std::atof(arguments[4]) : 0, std::move(requests));
  load.run(std::chrono::milliseconds(static_cast<int>(std::atof(arguments[3]) * 1000)));
  load.print();
}
