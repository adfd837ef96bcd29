// Responses that are consumed while they arrive.
#include <future>

#include "tests/web/fetch_fixture.h"

namespace web {
namespace fetch_callbacks_test {

using tests::always;
using tests::Loopback;
using tests::Peer;

class FetchCallbacks : public tests::FetchTest {};

TEST_F(FetchCallbacks, StreamsIntoASink) {
  std::promise<void> first_arrived;
  Loopback server([&](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    first_arrived.get_future().wait();  // the sink has it before the rest is even sent
    peer.send("6\r\nsecond\r\n0\r\nX-Trailer: t\r\n\r\n");
    peer.wait_for_close();
  });
  std::vector<std::string> story;
  FetchRequest request{.url = server.url()};
  request.on_head = [&](int status, const FetchHeaders& headers) {
    story.push_back(std::to_string(status) + " " + headers.at(0).second);
    return true;
  };
  request.sink = [&](std::string_view bytes) {
    if (story.size() == 1) first_arrived.set_value();
    story.emplace_back(bytes);
    return true;
  };
  const auto answer = get(std::move(request));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "");
  EXPECT_THAT(story, ::testing::ElementsAre("200 text/event-stream", "first", "second"));
  EXPECT_EQ(answer->header("x-trailer"), "");
}

// Streams have small buffers in libcurl, which keeps one when no host was found: a later exchange must not get it.
TEST_F(FetchCallbacks, AStreamThatFoundNoHostLeavesNothingToTheNextExchange) {
  FetchRequest nowhere{.url = "http://name.invalid/"};
  nowhere.sink = [](std::string_view) { return true; };
  EXPECT_FALSE(get(std::move(nowhere)));
  const std::string large(200'000, 'x');
  Loopback server([&](Peer& peer) {
    peer.read_request();
    peer.answer(large);
  });
  const auto answer = get_url(server.url());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, large);
}

TEST_F(FetchCallbacks, EndsEarlyWhenTheSinkOrTheHeadCallbackSaysSo) {
  Loopback server([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nstart");
    peer.wait_for_close();
  });
  int calls = 0;
  FetchRequest request{.url = server.url()};
  request.sink = [&](std::string_view) { return ++calls < 1; };
  EXPECT_EQ(get(request)->status, 200);
  EXPECT_EQ(calls, 1);
  request.on_head = [](int, const FetchHeaders&) { return false; };
  EXPECT_EQ(get(request)->status, 200);
  EXPECT_EQ(calls, 1);
}

TEST_F(FetchCallbacks, ThrowsWhatACallbackThrows) {
  Loopback server(always("hello"));
  FetchRequest request{.url = server.url()};
  request.sink = [](std::string_view) -> bool { throw std::runtime_error("the reader gave up"); };
  EXPECT_THROW((void)get(request), std::runtime_error);
  request.sink = nullptr;
  request.on_head = [](int, const FetchHeaders&) -> bool { throw std::out_of_range("head"); };
  EXPECT_THROW((void)get(request), std::out_of_range);
}

TEST_F(FetchCallbacks, CanBeStartedFromInsideASink) {
  Loopback server(always("hello"));
  std::future<Result<FetchResponse>> inner;
  FetchRequest request{.url = server.url()};
  request.sink = [&](std::string_view) {
    FetchRequest next{.url = server.url()};
    inner = boost::asio::co_spawn(io_, fetch(std::move(next)), boost::asio::use_future);
    return true;
  };
  ASSERT_TRUE(get(std::move(request)));
  EXPECT_EQ(inner.get()->body, "hello");
}

}  // namespace fetch_callbacks_test
}  // namespace web
