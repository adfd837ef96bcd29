// Which addresses each Reach may connect to.
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/web/fetch_fixture.h"

namespace web {
namespace fetch_reach_test {

using tests::always;
using tests::closed_port;
using tests::Loopback;
using tests::Peer;

class FetchReach : public tests::FetchTest {};

TEST_F(FetchReach, IgnoresTheEnvironmentsProxies) {
  Loopback server(always("direct"));
  const std::string proxy = "http://127.0.0.1:" + std::to_string(closed_port());
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) ::setenv(name, proxy.c_str(), 1);
  const auto answer = get_url(server.url());
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "direct");
}

TEST_F(FetchReach, PublicOnlyConnectsToNoPrivateAddress) {
  Loopback canary(always("secret"));
  const std::string port = std::to_string(canary.port());
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]",
                                 "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "169.254.169.254", "10.0.0.1"}) {
    FetchRequest request{.url = "http://" + host + ":" + port + "/", .reach = Reach::public_only};
    expect_error(get(std::move(request)), Kind::invalid, "is not a public address with a web port");
  }
  EXPECT_EQ(canary.connections(), 0u);
}

TEST_F(FetchReach, PublicOnlyReusesNoConfiguredConnection) {
  Loopback server(always("secret"));
  ASSERT_EQ(get_url(server.url())->body, "secret");  // leaves an open connection behind
  expect_error(get({.url = server.url(), .reach = Reach::public_only}), Kind::invalid, "not a public address");
}

TEST_F(FetchReach, ConnectsToNoPortBeyondTheWeb) {
  for (const char* url :
       {"http://8.8.8.8:22/", "http://8.8.8.8:25/", "http://8.8.8.8:6379/", "https://8.8.8.8:3306/"}) {
    expect_error(get({.url = url, .reach = Reach::public_only}), Kind::invalid, "web port");
  }
}

// Makes 8.8.8.8 an address of this machine's loopback device, in a network namespace of the calling process alone.
bool become_a_public_host() {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const int control = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto up = [control](const char* name, const char* address) {
    ifreq request{};
    std::string_view(name).copy(request.ifr_name, IFNAMSIZ - 1);
    auto& target = reinterpret_cast<sockaddr_in&>(request.ifr_addr);
    target.sin_family = AF_INET;
    target.sin_addr.s_addr = htonl(boost::asio::ip::make_address_v4(address).to_uint());
    if (::ioctl(control, SIOCSIFADDR, &request) != 0) return false;
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    return ::ioctl(control, SIOCSIFFLAGS, &request) == 0;
  };
  const bool done = up("lo", "127.0.0.1") && up("lo:0", "8.8.8.8");
  ::close(control);
  return done;
}

// A public site that answers, then redirects to a private one: run in a child process that has its own network.
int fetch_from_a_public_site_that_redirects_inwards() {
  constexpr int impossible_here = 77;
  if (!become_a_public_host()) return impossible_here;
  using Endpoint = boost::asio::ip::tcp::endpoint;
  Loopback canary(Endpoint(boost::asio::ip::address_v4::loopback(), 8080), always("secret"));
  Loopback site(Endpoint(boost::asio::ip::make_address("8.8.8.8"), 8080), [](Peer& peer) {
    while (true) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      if (request.starts_with("GET /in ")) {
        peer.answer("", "Location: http://127.0.0.1:8080/\r\n", "302 Found");
      } else {
        peer.answer("public");
      }
    }
  });
  boost::asio::io_context io;
  const auto get = [&io](std::string url) {
    FetchRequest request{.url = std::move(url), .reach = Reach::public_only, .max_redirects = 5};
    auto answer = boost::asio::co_spawn(io, fetch(std::move(request)), boost::asio::use_future);
    io.restart();
    io.run();
    return answer.get();
  };
  const auto outside = get("http://8.8.8.8:8080/");
  if (!outside || outside->body != "public") return 1;
  const auto mapped = get("http://[::ffff:8.8.8.8]:8080/");
  if (mapped.has_error() && mapped.error().kind == Kind::invalid) return 2;
  const auto inside = get("http://8.8.8.8:8080/in");
  if (!inside.has_error() || inside.error().kind != Kind::invalid) return 3;
  return canary.connections() == 0 ? 0 : 4;
}

TEST_F(FetchReach, ChecksTheAddressAgainAfterARedirect) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(fetch_from_a_public_site_that_redirects_inwards());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no user and network namespaces here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace fetch_reach_test
}  // namespace web
