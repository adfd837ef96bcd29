#include "appliance/runtime/docker/packet_filter.h"

#include <gmock/gmock.h>

namespace packet_filter_test {

using namespace runtime::docker;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Openings openings() {
  return {.web_bridge = "br-1",
          .closed_bridge = "agb1",
          .gateway = "172.18.0.1",
          .ports = {3001, 41000},
          .name_servers = {"10.0.0.53"}};
}

// In which order two rules stand decides what holds.
void expect_in_order(const std::string& text, const std::vector<std::string>& rules) {
  std::size_t at = 0;
  for (const auto& rule : rules) {
    const auto found = text.find("-A AGENTBOX-1 " + rule + "\n", at);
    ASSERT_NE(found, text.npos) << rule << " is missing or stands too early in\n" << text;
    at = found;
  }
}

TEST(PacketFilter, OpensTheBoxAndNameServersBeforeItClosesTheRest) {
  const auto text = filter_text("AGENTBOX-1", openings());
  EXPECT_TRUE(text.starts_with("*mangle\n:AGENTBOX-1 - [0:0]\n")) << text;
  EXPECT_TRUE(text.ends_with("COMMIT\n")) << text;
  expect_in_order(text, {"-m conntrack --ctstate ESTABLISHED,RELATED -j RETURN",
                         "-d 172.18.0.1/32 -p tcp -m tcp --dport 3001 -j RETURN",
                         "-d 172.18.0.1/32 -p tcp -m tcp --dport 41000 -j RETURN", "-i agb1 -j DROP",
                         "-d 10.0.0.53/32 -p udp -m udp --dport 53 -j RETURN", "-m addrtype --dst-type LOCAL -j DROP",
                         "-d 169.254.0.0/16 -j DROP"});
}

TEST(PacketFilter, WithAnOpenLanKeepsClosedAgentsClosed) {
  auto open = openings();
  open.lan_is_open = true;
  const auto text = filter_text("AGENTBOX-1", open);
  expect_in_order(text, {"-d 172.18.0.1/32 -p tcp -m tcp --dport 3001 -j RETURN", "-i agb1 -j DROP"});
  EXPECT_THAT(text, Not(HasSubstr("LOCAL")));
  EXPECT_THAT(text, Not(HasSubstr("10.0.0.0/8")));
  EXPECT_THAT(filter_text_of_ipv6("AGENTBOX-1", open), HasSubstr("-A AGENTBOX-1 -i agb1 -j DROP\n"));
  EXPECT_THAT(filter_text_of_ipv6("AGENTBOX-1", open), Not(HasSubstr("-A AGENTBOX-1 -j DROP")));
}

TEST(PacketFilter, ClosesAllOfIpv6) {
  EXPECT_THAT(filter_text_of_ipv6("AGENTBOX-1", openings()), HasSubstr("-A AGENTBOX-1 -j DROP\nCOMMIT"));
}

TEST(PacketFilter, TakesOnlyAddressesFromResolvConf) {
  EXPECT_THAT(name_servers_in("# nameserver 1.2.3.4\nsearch lan\nnameserver 10.0.0.53\nnameserver 127.0.0.53\n"
                              "nameserver fe80::1%eth0\nnameserver 192.168.1.1 -j ACCEPT\nnameserver 9.9.9.9;\n"),
              ElementsAre("10.0.0.53", "192.168.1.1"));
  EXPECT_THAT(name_servers_in("nameserver"), IsEmpty());
}

}  // namespace packet_filter_test
