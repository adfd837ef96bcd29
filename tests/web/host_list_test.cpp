// Host names that are not the listener's (DNS rebinding), and https that only the clients see.
#include "web/admission/host_list.h"

#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace host_list_test {

using boost::asio::ip::make_address;
using ::testing::HasSubstr;

TEST(HostList, KnowsNamesInAnyCaseAndWhatIsBeneathADomain) {
  const HostList hosts({"Box.example.org", ".agents.example.org", "[fd00::1]"});
  const auto local = make_address("10.0.0.5");
  for (const char* known : {"box.example.org", "BOX.EXAMPLE.ORG", "box.example.org.", "a.agents.example.org",
                            "a.b.agents.example.org", "[fd00::1]", "10.0.0.5", ""})
    EXPECT_TRUE(hosts.knows(known, local)) << known;
  for (const char* other :
       {"example.org", "evil.example", "xbox.example.org", "box.example.org.evil.example", "agents.example.org",
        ".agents.example.org", "xagents.example.org", "10.0.0.6", "localhost", "127.0.0.1", "[::1]", "."})
    EXPECT_FALSE(hosts.knows(other, local)) << other;
}

TEST(HostList, KnowsTheAddressThatTheConnectionArrivedAt) {
  const HostList hosts({"box.example.org"});
  EXPECT_TRUE(hosts.knows("localhost", make_address("127.0.0.1")));
  EXPECT_TRUE(hosts.knows("LOCALHOST", make_address("::1")));
  EXPECT_TRUE(hosts.knows("127.0.0.1", make_address("::ffff:127.0.0.1")));
  EXPECT_TRUE(hosts.knows("[::1]", make_address("::1")));
  EXPECT_FALSE(hosts.knows("127.0.0.1", make_address("192.0.2.1")));
}

TEST(HostList, AnEmptyListKnowsEveryHost) {
  EXPECT_TRUE(HostList({}).knows("evil.example", make_address("127.0.0.1")));
  EXPECT_TRUE(HostList({""}).empty());
}

class KnownHosts : public WireTest {};

TEST_F(KnownHosts, AnotherHostIsMisdirectedBeforeAnythingReadsTheRequest) {
  options.hosts = {"box"};
  options.host_router = [this](const Request&) -> std::optional<Result<ProxyTarget>> {
    note("routed");
    return {};
  };
  serve();
  EXPECT_EQ(ask(get("/ask")).status, 200);
  EXPECT_EQ(reached(), (std::vector<std::string>{"routed", "GET /ask"}));
  for (const char* host : {"evil.example", "evil.example:3000", "box.evil.example", "192.168.1.1"}) {
    const auto answer = ask("POST /echo HTTP/1.1\r\nHost: " + std::string(host) + "\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_EQ(answer.status, 421) << host;
    EXPECT_THAT(answer.body, HasSubstr("ALLOWED_HOSTS"));
    EXPECT_EQ(answer.headers.at("connection"), "close");
    EXPECT_FALSE(answer.headers.contains("set-cookie"));
  }
  EXPECT_EQ(ask("GET http://evil.example/ask HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 421);
  EXPECT_EQ(ask("GET /ask HTTP/1.1\r\nHost: BOX:80\r\n\r\n").status, 200);
  EXPECT_EQ(ask("GET /ask HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status, 200) << "the address it arrived at";
  EXPECT_EQ(ask("GET /ask HTTP/1.0\r\n\r\n").status, 200) << "no browser";
  EXPECT_EQ(reached().size(), 8u);
}

TEST_F(KnownHosts, WhereClientsUseHttpsEveryRequestIsSecure) {
  options.is_https_outside = true;
  auto secure = [this](Request& request) -> Task<Result<Response>> {
    note(request.secure ? "secure" : "open");
    co_return text("");
  };
  append(options.routes, {{GET, "/secure", open_door, nullptr, plain(secure), "Whether it is"}});
  serve();
  const auto answer = ask(get("/secure"));
  EXPECT_EQ(reached().back(), "secure");
  EXPECT_THAT(answer.headers.at("strict-transport-security"), HasSubstr("max-age="));
  EXPECT_THAT(ask("GET /secure\r\n\r\n").headers.at("strict-transport-security"), HasSubstr("max-age="))
      << "refusals, too";
}

}  // namespace host_list_test
}  // namespace web::tests
