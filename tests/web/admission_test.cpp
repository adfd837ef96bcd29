// The limit of open connections per client.
#include <gtest/gtest.h>

#include "web/server/listener.h"

namespace web_test {
namespace admission_test {

boost::asio::ip::address at(const char* address) { return boost::asio::ip::make_address(address); }

TEST(Admission, OneClientCannotTakeAllConnections) {
  const web::TrustedProxies trusted({"10.1.0.0/16"});
  web::Admission admission(8, 2, trusted);
  for (const auto* mine : {"192.0.2.1", "192.0.2.1"}) EXPECT_TRUE(admission.enter(at(mine)));
  EXPECT_FALSE(admission.enter(at("192.0.2.1")));
  for (const auto* mine : {"2001:db8::1", "2001:db8::2"}) EXPECT_TRUE(admission.enter(at(mine)));
  EXPECT_FALSE(admission.enter(at("2001:db8::3"))) << "of the same network of one client";
  EXPECT_TRUE(admission.enter(at("2001:db8:1::1")));
  EXPECT_EQ(admission.open(), 5u);
  admission.leave(at("192.0.2.1"));
  EXPECT_TRUE(admission.enter(at("192.0.2.1")));
}

TEST(Admission, ThisMachineAndProxiesRepresentManyClients) {
  const web::TrustedProxies trusted({"10.1.0.0/16"});
  web::Admission admission(6, 1, trusted);
  for (const auto* many : {"127.0.0.1", "127.0.0.1", "::1", "::1", "10.1.2.3", "10.1.2.3"})
    EXPECT_TRUE(admission.enter(at(many))) << many;
  EXPECT_FALSE(admission.enter(at("127.0.0.1"))) << "but not for more than all";
  admission.leave(at("10.1.2.3"));
  EXPECT_TRUE(admission.enter(at("192.0.2.1")));
}

TEST(Admission, ClientsLeaveAReserveToThisMachineAndProxies) {
  const web::TrustedProxies trusted({"10.1.0.0/16"});
  web::Admission admission(16, 8, trusted);
  for (int one = 0; one < 14; ++one) EXPECT_TRUE(admission.enter(at(one < 7 ? "192.0.2.1" : "192.0.2.2"))) << one;
  EXPECT_FALSE(admission.enter(at("192.0.2.3"))) << "also from an address that has none";
  EXPECT_TRUE(admission.enter(at("127.0.0.1")));
  EXPECT_TRUE(admission.enter(at("10.1.2.3")));
  EXPECT_TRUE(admission.is_full());
  admission.leave(at("192.0.2.1"));
  EXPECT_TRUE(admission.enter(at("192.0.2.3")));
}

TEST(Admission, ASiteOfIpv6HasTwiceTheConnectionsOfOneClient) {
  const web::TrustedProxies trusted({});
  web::Admission admission(100, 2, trusted);
  for (const auto* one : {"2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:1:2::1", "2001:db8:1:3::1"})
    EXPECT_TRUE(admission.enter(at(one))) << one;
  EXPECT_FALSE(admission.enter(at("2001:db8:1:4::1"))) << "another /64 of the same /48";
  EXPECT_TRUE(admission.enter(at("2001:db8:2:1::1")));
  admission.leave(at("2001:db8:1:2::1"));
  EXPECT_TRUE(admission.enter(at("2001:db8:1:4::1")));
}

}  // namespace admission_test
}  // namespace web_test
