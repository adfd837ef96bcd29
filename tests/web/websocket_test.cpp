// WebSockets (RFC 6455) by their bytes: handshake, frames and protocol errors.
#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace websocket_test {

using namespace std::chrono_literals;
using namespace std::string_literals;

constexpr unsigned char text_frame = 1, binary_frame = 2, continuation = 0, close_frame = 8, ping = 9, pong = 10;

std::string frame(unsigned char opcode, std::string_view data, bool last = true, bool masked = true) {
  std::string bytes;
  bytes += static_cast<char>(opcode | (last ? 0x80 : 0));
  const char mask_bit = masked ? static_cast<char>(0x80) : '\0';
  if (data.size() < 126) {
    bytes += static_cast<char>(mask_bit | static_cast<char>(data.size()));
  } else {
    const bool wide = data.size() > 0xffff;
    bytes += static_cast<char>(mask_bit | (wide ? 127 : 126));
    for (int shift = wide ? 56 : 8; shift >= 0; shift -= 8)
      bytes += static_cast<char>(static_cast<std::uint64_t>(data.size()) >> shift & 0xff);
  }
  constexpr std::string_view mask = "mask";
  if (masked) bytes += mask;
  for (std::size_t at = 0; at < data.size(); ++at)
    bytes += static_cast<char>(masked ? data[at] ^ mask[at % 4] : data[at]);
  return bytes;
}

struct Frame {
  int opcode = -1;  // -1: the connection has ended
  std::string data;
  int code() const {
    return data.size() < 2 ? 0 : static_cast<unsigned char>(data[0]) << 8 | static_cast<unsigned char>(data[1]);
  }
};

// A whole message, joined from its fragments, or a control frame.
Frame read_frame(RawClient& client) {
  const auto head = client.take(2);
  if (head.size() < 2) return {};
  const bool last = head[0] & 0x80;
  std::uint64_t size = static_cast<unsigned char>(head[1]);
  if (size >= 126) {
    const auto bytes = client.take(size == 126 ? 2 : 8);
    size = 0;
    for (const char byte : bytes) size = size << 8 | static_cast<unsigned char>(byte);
  }
  Frame frame{.opcode = head[0] & 15, .data = client.take(size)};
  if (!last) frame.data += read_frame(client).data;
  return frame;
}

class WebSockets : public WireTest {
 protected:
  WebSockets() {
    options.browser = true;
    auto echo = [this](Request&) -> Task<Result<Response>> {
      note("upgrade");
      Response answer;
      answer.set("X-Of-Ours", "here");
      answer.body = Upgrade([this](WebSocket& socket) -> Task<> {
        while (auto message = co_await socket.read()) {
          if (message->data == "bye") co_await socket.close(4001, "as you wish");
          if (message->data == "fail") throw std::runtime_error("failed");
          auto back = std::move(*message);
          co_await socket.write(std::move(back));
        }
        ended.set_value();
      });
      co_return answer;
    };
    append(options.routes, {{GET, "/socket", open_door, nullptr, plain(echo), "Echo"}});
  }

  // A client whose handshake has succeeded.
  RawClient open_socket(std::string_view fields = {}) {
    auto one = client();
    one.send(handshake(fields));
    const auto answer = one.head();
    EXPECT_EQ(answer.status, 101);
    return one;
  }
  static std::string handshake(std::string_view fields = {}) {
    return get("/socket",
               "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                   std::string(fields));
  }
  void expect_ended() { EXPECT_EQ(ended.get_future().wait_for(20s), std::future_status::ready); }

  std::promise<void> ended;
};

TEST_F(WebSockets, AreOpenedAsTheStandardSays) {
  serve();
  auto one = client();
  one.send(handshake());
  const auto answer = one.head();
  EXPECT_EQ(answer.status, 101);
  EXPECT_EQ(answer.headers.at("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // RFC 6455, 1.3
  EXPECT_EQ(answer.headers.at("x-of-ours"), "here");
}

TEST_F(WebSockets, CarryTextAndBytesOfEverySize) {
  serve();
  auto one = open_socket();
  for (const std::size_t size : {0u, 1u, 125u, 126u, 65535u, 65536u, 1024u * 1024u}) {
    const std::string data(size, 'd');
    one.send(frame(text_frame, data));
    const auto text = read_frame(one);
    EXPECT_EQ(text.opcode, text_frame);
    EXPECT_EQ(text.data, data);
  }
  one.send(frame(binary_frame, "\xff\0\xfe"s));
  const auto bytes = read_frame(one);
  EXPECT_EQ(bytes.opcode, binary_frame);
  EXPECT_EQ(bytes.data, "\xff\0\xfe"s);
}

TEST_F(WebSockets, JoinFragmentsAndAnswerPingsBetweenThem) {
  serve();
  auto one = open_socket();
  one.send(frame(text_frame, "frag", false) + frame(ping, "are you there") + frame(continuation, "ments"));
  const auto answer = read_frame(one);
  EXPECT_EQ(answer.opcode, pong);
  EXPECT_EQ(answer.data, "are you there");
  EXPECT_EQ(read_frame(one).data, "fragments");
}

TEST_F(WebSockets, CloseWithTheCodeOfThePeer) {
  serve();
  auto one = open_socket();
  one.send(frame(close_frame, "\x03\xe8"));
  EXPECT_EQ(read_frame(one).code(), 1000);
  EXPECT_TRUE(one.closed());
  expect_ended();
}

TEST_F(WebSockets, MayBeClosedByTheHandler) {
  serve();
  auto one = open_socket();
  one.send(frame(text_frame, "bye"));
  const auto answer = read_frame(one);
  EXPECT_EQ(answer.opcode, close_frame);
  EXPECT_EQ(answer.code(), 4001);
  EXPECT_EQ(answer.data.substr(2), "as you wish");
}

TEST_F(WebSockets, EndTheHandlerWhenThePeerVanishes) {
  serve();
  auto one = open_socket();
  one.reset();
  expect_ended();
}

TEST_F(WebSockets, RefuseProtocolErrors) {
  serve();
  const std::vector<std::pair<std::string, int>> faults{
      {frame(text_frame, "unmasked", true, false), 1002},
      {frame(3, "reserved opcode"), 1002},
      {frame(continuation, "of nothing"), 1002},
      {frame(ping, std::string(126, 'p')), 1002},
      {frame(ping, "fragmented", false), 1002},
      {frame(text_frame, "\xff\xfe"), 1007},
      {frame(text_frame, std::string(1024 * 1024 + 1, 'x')), 1009},
      {"\xc1\x80mask"s, 1002},  // a reserved bit
  };
  for (const auto& [bytes, code] : faults) {
    ended = {};
    auto one = open_socket();
    one.send(bytes);
    const auto answer = read_frame(one);
    EXPECT_EQ(answer.opcode, close_frame) << code;
    EXPECT_EQ(answer.code(), code);
    one.close();
    expect_ended();
  }
}

TEST_F(WebSockets, CloseWhenTheHandlerFails) {
  serve();
  auto one = open_socket();
  one.send(frame(text_frame, "fail"));
  EXPECT_EQ(read_frame(one).opcode, -1);
  EXPECT_EQ(ask(get("/ask")).status, 200);
}

TEST_F(WebSockets, RefuseCrossSitePages) {
  serve();
  for (const std::string origin : {"https://evil.example", "http://box.evil.example", "null", "http://box@evil"}) {
    auto one = client();
    one.send(handshake("Origin: " + origin + "\r\n"));
    EXPECT_EQ(one.answer().status, 403) << origin;
  }
  EXPECT_TRUE(reached().empty());
  open_socket("Origin: http://box\r\n");
}

TEST_F(WebSockets, SayWhatIsMissingInTheHandshake) {
  serve();
  EXPECT_EQ(ask(get("/socket")).status, 426);
  auto other_version = client();
  other_version.send(get("/socket",
                         "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
                         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  const Answer refused = other_version.answer();
  EXPECT_EQ(refused.status, 426);
  EXPECT_EQ(refused.headers.at("sec-websocket-version"), "13");
}

TEST_F(WebSockets, OnAnOrdinaryRouteAreOrdinaryRequests) {
  serve();
  auto one = client();
  one.send(get("/ask", "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
  EXPECT_EQ(one.answer().body, "GET /ask");
}

TEST_F(WebSockets, CloseAPeerThatFellSilent) {
  options.limits.websocket_idle_time = 400ms;
  serve();
  auto one = open_socket();
  EXPECT_EQ(read_frame(one).opcode, ping);  // at half of it
  EXPECT_TRUE(one.closed());
  expect_ended();
}

}  // namespace websocket_test
}  // namespace web::tests
