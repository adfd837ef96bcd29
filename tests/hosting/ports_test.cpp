#include <set>

#include "tests/hosting/agent_box.h"

namespace ports_test {

using namespace agent_tests;

class PortsTest : public AgentBoxTest {
 protected:
  agents::Agent with_port(std::uint16_t port) {
    agents::Agent agent;
    agent.owner = owner.user_id;
    agent.id = "ag_" + std::to_string(port);
    agent.name = agent.subdomain = agent.id;
    agent.port = port;
    auto change = box->system().change();
    change.insert(agents::records, agent);
    EXPECT_TRUE(change.commit_blocking().ok());
    return agent;
  }
};

TEST_F(PortsTest, IteratesOverTheRange) {
  const auto first = free_port();
  agents::Ports ports(box->system(), first, first);
  EXPECT_EQ(ports.find(), first);
  EXPECT_EQ(ports.find(), first) << "nobody has stored it";
}

TEST_F(PortsTest, SkipsPortsOfAgents) {
  const auto port = free_port();
  agents::Ports ports(box->system(), port, port);
  with_port(port);
  EXPECT_EQ(ports.find(), std::nullopt);
}

TEST_F(PortsTest, SkipsPortsInUse) {
  files::Descriptor other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(other.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(other.get(), 1), 0);
  ASSERT_EQ(::getsockname(other.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const auto port = ntohs(address.sin_port);
  EXPECT_FALSE(agents::Ports::bindable(port));
  agents::Ports ports(box->system(), port, port);
  EXPECT_EQ(ports.find(), std::nullopt);
}

TEST_F(PortsTest, FindsNoneInAnEmptyRange) {
  agents::Ports ports(box->system(), 2, 1);
  EXPECT_EQ(ports.find(), std::nullopt);
}

TEST_F(PortsTest, NoTwoAgentsShareAPort) {
  const auto port = free_port();
  auto agent = with_port(port);
  agent.id = "ag_other";
  agent.subdomain = "other";
  auto change = box->system().change();
  change.insert(agents::records, agent);
  EXPECT_TRUE(change.commit_blocking().duplicate("port"));
}

}  // namespace ports_test
