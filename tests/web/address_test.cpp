#include "web/client/address.h"

#include <gtest/gtest.h>

#include "web/client/fetch.h"

namespace web {
namespace address_test {

class Public : public testing::TestWithParam<const char*> {};
class NotPublic : public testing::TestWithParam<const char*> {};

TEST_P(Public, MayBeConnectedTo) { EXPECT_TRUE(is_public_address(std::string_view(GetParam()))); }
TEST_P(NotPublic, IsRefused) { EXPECT_FALSE(is_public_address(std::string_view(GetParam()))); }

INSTANTIATE_TEST_SUITE_P(V4, Public,
                         testing::Values("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255",
                                         "100.128.0.0", "126.255.255.255", "128.0.0.1", "168.63.129.15",
                                         "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
                                         "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
                                         "223.255.255.255"));
INSTANTIATE_TEST_SUITE_P(V4, NotPublic,
                         testing::Values("0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
                                         "100.100.100.200", "100.127.255.255", "127.0.0.1", "127.255.255.255",
                                         "168.63.129.16", "169.254.0.1", "169.254.169.254", "172.16.0.1",
                                         "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1",
                                         "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.7",
                                         "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1",
                                         "255.255.255.255"));
INSTANTIATE_TEST_SUITE_P(V6, Public,
                         testing::Values("2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "2001:200::1",
                                         "2001:db7::1", "2001:db9::1", "3fff:1000::1", "::ffff:8.8.8.8",
                                         "64:ff9b::8.8.8.8", "2002:808:808::1"));
INSTANTIATE_TEST_SUITE_P(V6, NotPublic,
                         testing::Values("::", "::1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
                                         "::ffff:169.254.169.254", "64:ff9b::127.0.0.1", "64:ff9b::10.1.2.3",
                                         "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8", "64:ff9b:0:0:1::808:808", "100::1",
                                         "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1",
                                         "2001:20::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::1",
                                         "2002:c0a8:101::1", "2002:a9fe:a9fe::1", "3fff:fff::1", "2620:4f:8000::1",
                                         "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%lo",
                                         "fec0::1", "ff02::1", "ff0e::1"));
// Spellings of 127.0.0.1 and other text that a resolver might understand: what does not parse strictly is refused.
INSTANTIATE_TEST_SUITE_P(Spellings, NotPublic,
                         testing::Values("", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "8.8.8",
                                         "8.8.8.8 ", " 8.8.8.8", "8.8.8.8.", "08.8.8.8", "[2606:4700::1]",
                                         "example.com", "8.8.8.8:80", "8.8.8.8/8"));

TEST(Address, ChecksParsedAddressesAlike) {
  EXPECT_TRUE(is_public_address(boost::asio::ip::make_address("8.8.4.4")));
  EXPECT_FALSE(is_public_address(boost::asio::ip::make_address("::ffff:192.168.1.1")));
}

}  // namespace address_test
}  // namespace web
