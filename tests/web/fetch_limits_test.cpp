// Limits of time and memory.
#include "tests/web/fetch_fixture.h"

namespace web {
namespace fetch_limits_test {

using namespace std::chrono_literals;
using tests::always;
using tests::Loopback;
using tests::Peer;

class FetchLimits : public tests::FetchTest {};

// `count` bytes of zeroes in a few kilobytes of deflate: one literal, then matches of 258 bytes at distance 1.
std::string gzip_bomb(std::size_t count) {
  std::string out("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03", 10);
  unsigned bits = 0, used = 0;
  const auto put = [&](unsigned value, unsigned length) {
    for (unsigned i = length; i-- > 0;) {
      bits |= (value >> i & 1) << used;
      if (++used < 8) continue;
      out.push_back(char(bits));
      bits = used = 0;
    }
  };
  put(0b110, 3);  // last block, fixed codes
  put(0x30, 8);   // literal 0
  for (std::size_t made = 1; made < count; made += 258) put(0xc5 << 5, 13);
  put(0, 7);  // end of block
  put(0, 7);
  return out;
}

TEST_F(FetchLimits, GivesUpAtTheDeadline) {
  Loopback stalls([](Peer& peer) { peer.wait_for_close(); });
  expect_error(get({.url = stalls.url(), .timeout = 60ms}), Kind::timeout, "gave no complete answer within 60 ms");

  Loopback drips([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (peer.send("x")) std::this_thread::sleep_for(5ms);
  });
  expect_error(get({.url = drips.url(), .timeout = 80ms}), Kind::timeout, "gave no complete answer within 80 ms");

  // A full accept queue: the connection is never made.
  boost::asio::io_context context;
  boost::asio::ip::tcp::acceptor full(context);
  full.open(boost::asio::ip::tcp::v4());
  full.bind({boost::asio::ip::address_v4::loopback(), 0});
  full.listen(0);
  std::vector<boost::asio::ip::tcp::socket> crowd;
  for (int i = 0; i < 3; ++i) {
    crowd.emplace_back(context).async_connect(full.local_endpoint(), [](boost::system::error_code) {});
  }
  const std::string url = "http://127.0.0.1:" + std::to_string(full.local_endpoint().port()) + "/";
  expect_error(get({.url = url, .connect_timeout = 60ms}), Kind::timeout, "could not connect to 127.0.0.1:");
}

TEST_F(FetchLimits, ALongDeadlineDoesNotDelayALaterShortOne) {
  Loopback stalls([](Peer& peer) { peer.wait_for_close(); });
  std::string ended;
  const auto note = [&](std::exception_ptr, const Result<FetchResponse>& answer) {
    ended = answer.error().message;
    io_.stop();
  };
  for (const auto timeout : {60'000ms, 30ms}) {
    FetchRequest request{.url = stalls.url(), .timeout = timeout};
    boost::asio::co_spawn(io_, fetch(std::move(request)), note);
  }
  io_.run();
  EXPECT_THAT(ended, ::testing::EndsWith("within 30 ms"));
}

TEST_F(FetchLimits, CountsTheDeadlineOverAllHops) {
  Loopback server([](Peer& peer) {
    while (!peer.read_request().empty()) {
      std::this_thread::sleep_for(30ms);
      peer.answer("", "Location: /again\r\n", "302 Found");
    }
  });
  const auto started = std::chrono::steady_clock::now();
  expect_error(get({.url = server.url(), .max_redirects = 1000, .timeout = 100ms}), Kind::timeout, "within 100 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - started, 2s);
}

TEST_F(FetchLimits, RefusesTooLargeBodies) {
  Loopback announces([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n");
    peer.wait_for_close();  // not one body byte is needed to refuse
  });
  expect_error(get({.url = announces.url(), .max_bytes = 1000}), Kind::too_large, "is larger than 1000 bytes");
  Loopback endless([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.send(std::string(10'000, 'x'))) {
    }
  });
  expect_error(get({.url = endless.url(), .max_bytes = 1u << 20}), Kind::too_large, "is larger than 1 MB");
  Loopback exact(always("12345"));
  EXPECT_EQ(get({.url = exact.url(), .max_bytes = 5})->body, "12345");
  expect_error(get({.url = exact.url(), .max_bytes = 4}), Kind::too_large, "is larger than 4 bytes");
}

TEST_F(FetchLimits, CountsBytesAfterDecompression) {
  const std::string bomb = gzip_bomb(100u << 20);
  ASSERT_LT(bomb.size(), 1u << 20);
  Loopback server(always(bomb, "Content-Encoding: gzip\r\n"));
  expect_error(get({.url = server.url(), .max_bytes = 2u << 20}), Kind::too_large, "is larger than 2 MB");
}

}  // namespace fetch_limits_test
}  // namespace web
