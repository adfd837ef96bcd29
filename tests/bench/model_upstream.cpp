// A model provider that costs next to nothing: answers POST .../chat/completions in the OpenAI form with 300 tokens, on
// one thread. Below /zero at once, below /think after 50 ms. With stream: true it sends 20 tokens a second instead,
// each of which says when it was sent (steady clock, microseconds). Prints {"port": ...} when it listens.
#include <boost/asio.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int tokens = 300;
constexpr auto think_time = 50ms, token_time = 50ms;

std::string with_head(const char* type, const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string whole_answer() {
  std::string text;
  for (int token = 0; token < tokens; ++token) text += "word ";
  return with_head("application/json",
                   R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"openai/gpt-4o-mini",)"
                   R"("choices":[{"index":0,"message":{"role":"assistant","content":")" +
                       text +
                       R"("},"finish_reason":"stop"}],)"
                       R"("usage":{"prompt_tokens":20,"completion_tokens":300,"total_tokens":320}})");
}

const std::string answer = whole_answer();

std::string chunk(const std::string& bytes) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

std::string event(const std::string& choices, const char* more = "") {
  return R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"openai/gpt-4o-mini",)"
         R"("choices":[)" +
         choices + "]" + more + "}\n\n";
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(tcp::socket socket) : socket_(std::move(socket)), timer_(socket_.get_executor()) {
    socket_.set_option(tcp::no_delay(true));
  }

  void read() {
    socket_.async_read_some(asio::buffer(bytes_),
                            [self = shared_from_this()](boost::system::error_code error, std::size_t count) {
                              if (error) return;
                              self->request_.append(self->bytes_.data(), count);
                              self->take();
                            });
  }

 private:
  // Answers the request once it is whole; there is one at a time.
  void take() {
    constexpr std::string_view length_name = "content-length:";
    const auto head_end = request_.find("\r\n\r\n");
    if (head_end == request_.npos) return read();
    std::string head = request_.substr(0, head_end);
    for (auto& c : head) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto length_at = head.find(length_name);
    const auto length =
        length_at == head.npos ? 0 : std::strtoul(head.c_str() + length_at + length_name.size(), nullptr, 10);
    if (request_.size() < head_end + 4 + length) return read();
    const bool streams = request_.find(R"("stream":true)", head_end) != request_.npos;
    const bool thinks = head.find(" /think/") < head.find("\r\n");
    request_.clear();
    if (streams) return begin_stream();
    if (!thinks) return write(answer);
    timer_.expires_after(think_time);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code) { self->write(answer); });
  }

  void write(const std::string& out) {
    asio::async_write(socket_, asio::buffer(out),
                      [self = shared_from_this()](boost::system::error_code error, std::size_t) {
                        if (!error) self->read();
                      });
  }

  void begin_stream() {
    left_ = tokens;
    out_ = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    // Streams are not in step with each other.
    static int streams = 0;
    next_ = Clock::now() - token_time + std::chrono::milliseconds(++streams * 7 % token_time.count());
    wait_for_token();
  }

  void send_token() {
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch()).count();
    const bool is_last = left_-- == 0;
    out_ +=
        is_last
            ? chunk(event(R"({"index":0,"delta":{},"finish_reason":"stop"})")) +
                  chunk(event("", R"(,"usage":{"prompt_tokens":20,"completion_tokens":300,"total_tokens":320})")) +
                  chunk("data: [DONE]\n\n") + "0\r\n\r\n"
            : chunk(event(R"({"index":0,"delta":{"content":")" + std::to_string(now) + R"( "},"finish_reason":null})"));
    asio::async_write(socket_, asio::buffer(out_),
                      [self = shared_from_this(), is_last](boost::system::error_code error, std::size_t) {
                        if (error) return;
                        self->out_.clear();
                        is_last ? self->read() : self->wait_for_token();
                      });
  }

  void wait_for_token() {
    next_ += token_time;
    timer_.expires_at(next_);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code) { self->send_token(); });
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  std::array<char, 16'384> bytes_;
  std::string request_, out_;
  int left_ = 0;
  Clock::time_point next_;
};

void accept(tcp::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](boost::system::error_code error, tcp::socket socket) {
    if (!error) std::make_shared<Connection>(std::move(socket))->read();
    accept(acceptor);
  });
}

}  // namespace

int main() {
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), 0});
  acceptor.listen(4096);
  accept(acceptor);
  std::printf("{\"port\": %d}\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  context.run();
}
