// Where redirects may lead, and with which headers.
#include <future>

#include "tests/web/fetch_fixture.h"

namespace web {
namespace fetch_redirects_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::Loopback;
using tests::Peer;

class FetchRedirects : public tests::FetchTest {};

TEST_F(FetchRedirects, LeavesRedirectsAloneUnlessAsked) {
  Loopback server([](Peer& peer) {
    peer.read_request();
    peer.answer("moved", "Location: /there\r\n", "302 Found");
  });
  const auto answer = get_url(server.url());
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->header("location"), "/there");
  EXPECT_EQ(answer->body, "moved");
}

TEST_F(FetchRedirects, FollowsRedirectsToTheCap) {
  Loopback server([](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      const int left = request[5] - '0';
      if (left == 0) {
        peer.answer("arrived");
      } else {
        peer.answer("on the way", "Location: " + std::to_string(left - 1) + "\r\n", "302 Found");
      }
    }
  });
  FetchRequest request{.url = server.url("/3"), .max_redirects = 3};
  std::vector<int> heads;
  std::string body;
  request.on_head = [&](int status, const FetchHeaders&) {
    heads.push_back(status);
    return true;
  };
  request.sink = [&](std::string_view bytes) {
    body += bytes;
    return true;
  };
  const auto answer = get(request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->final_url, server.url("/0"));
  EXPECT_EQ(body, "arrived");
  EXPECT_THAT(heads, ::testing::ElementsAre(200));
  expect_error(get({.url = server.url("/4"), .max_redirects = 3}), Kind::bad_gateway, "more than 3 redirects");

  Loopback loops([](Peer& peer) {
    while (!peer.read_request().empty()) peer.answer("", "Location: /\r\n", "301 Moved");
  });
  expect_error(get({.url = loops.url(), .max_redirects = 10}), Kind::bad_gateway, "more than 10 redirects");
}

TEST_F(FetchRedirects, RefusesRedirectsOutOfTheWeb) {
  for (const std::string target : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1:70/", "dict://x/",
                                   "javascript:alert(1)", "http://user:word@127.0.0.1/", "http://", "http://[::1"}) {
    Loopback server([&](Peer& peer) {
      peer.read_request();
      peer.answer("", "Location: " + target + "\r\n", "302 Found");
    });
    const auto answer = get({.url = server.url(), .max_redirects = 5});
    ASSERT_TRUE(answer.has_error()) << target << " " << answer->status << " " << answer->final_url;
    EXPECT_THAT(answer.error().message, StartsWith("redirected: ")) << target;
  }
}

TEST_F(FetchRedirects, ChangesTheMethodOnlyWhereBrowsersDo) {
  for (const auto& [status, method, then] : {std::tuple{301, "POST", "GET"},
                                             {302, "POST", "GET"},
                                             {303, "PUT", "GET"},
                                             {303, "HEAD", "HEAD"},
                                             {307, "POST", "POST"},
                                             {308, "POST", "POST"},
                                             {302, "PUT", "PUT"}}) {
    std::promise<std::string> second;
    Loopback server([&, code = status](Peer& peer) {
      peer.read_request();
      peer.send("HTTP/1.1 " + std::to_string(code) + " Go\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n");
      second.set_value(peer.read_request());
      peer.send("HTTP/1.1 204 No Content\r\n\r\n");
    });
    FetchRequest request{.url = server.url(), .method = method};
    if (request.method != "HEAD") request.body = "payload";
    request.headers = {{"Content-Type", "text/plain"}};
    request.max_redirects = 1;
    EXPECT_EQ(get(request)->status, 204);
    const std::string text = second.get_future().get();
    EXPECT_THAT(text, StartsWith(std::string(then) + " /next ")) << status << method;
    EXPECT_EQ(text.ends_with("payload"), std::string_view(then).starts_with("P")) << status << method;
  }
}

TEST_F(FetchRedirects, ForwardsNoCredentialsToAnotherOrigin) {
  std::promise<std::string> near, far;
  Loopback other([&](Peer& peer) {
    far.set_value(peer.read_request());
    peer.answer("");
  });
  Loopback server([&](Peer& peer) {
    peer.read_request();
    peer.answer("", "Location: /near\r\n", "307 Go");
    near.set_value(peer.read_request());
    peer.answer("", "Location: " + other.url("/far") + "\r\n", "307 Go");
  });
  FetchRequest request{.url = server.url(), .max_redirects = 5};
  request.headers = {{"Authorization", "Bearer hush"},
                     {"X-Api-Key", "hush"},
                     {"Cookie", "sid=hush"},
                     {"Accept", "text/html"},
                     {"User-Agent", "tester/1.0"}};
  ASSERT_EQ(get(request)->final_url, other.url("/far"));
  EXPECT_THAT(near.get_future().get(),
              AllOf(HasSubstr("Bearer hush"), HasSubstr("X-Api-Key: hush"), HasSubstr("sid=hush")));
  EXPECT_THAT(far.get_future().get(),
              AllOf(Not(HasSubstr("hush")), HasSubstr("Accept: text/html"), HasSubstr("User-Agent: tester/1.0")));
}

}  // namespace fetch_redirects_test
}  // namespace web
