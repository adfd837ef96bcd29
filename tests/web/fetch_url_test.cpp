// Which URLs are fetched, and by which name their hosts are looked up.
#include "web/client/fetch_url.h"

#include <gtest/gtest.h>

namespace web {
namespace fetch_url_test {

std::string read(const std::string& text) {
  const auto url = parse_fetch_url(text);
  return url ? url->text + " at " + url->authority() : url.error().message;
}

TEST(FetchUrl, IsReadAsLibcurlReadsIt) {
  EXPECT_EQ(read("HTTP://Example.com/a?b"), "http://Example.com/a?b at example.com:80");
  EXPECT_EQ(read("https://example.com:8443"), "https://example.com:8443/ at example.com:8443");
  EXPECT_EQ(read("http://[::1]:8080/x"), "http://[::1]:8080/x at [::1]:8080");
  EXPECT_EQ(read("http://0x7f.1/"), "http://127.0.0.1/ at 127.0.0.1:80");
}

TEST(FetchUrl, NamesItsHostInAscii) {
  EXPECT_EQ(read("http://b\xC3\xBC"
                 "cher.example/p\xC3\xA4th"),
            "http://xn--bcher-kva.example/p%c3%a4th at xn--bcher-kva.example:80");
  EXPECT_EQ(read("http://b%C3%BCcher.example/"), "http://xn--bcher-kva.example/ at xn--bcher-kva.example:80");
  EXPECT_EQ(read("http://xn--bcher-kva.example/"), "http://xn--bcher-kva.example/ at xn--bcher-kva.example:80");
}

TEST(FetchUrl, OfWhatCannotBeFetchedSaysWhy) {
  EXPECT_EQ(read("ftp://example.com/"), "only http and https URLs can be fetched");
  EXPECT_EQ(read("http://ada:secret@example.com/"), "URLs with a user name or password are refused");
  EXPECT_EQ(read("http://b\xFF"
                 "cher.example/"),
            "the URL is not valid: its host has no name that can be looked up");
  for (const auto* wrong : {"http://ex ample/", "http://ex%20ample/", "http://", ""})
    EXPECT_FALSE(parse_fetch_url(wrong)) << wrong;
}

TEST(FetchUrl, KnowsHostsOfPrivateAddresses) {
  const auto is_private = [](const std::string& host) {
    return is_private_host(*parse_fetch_url("http://" + host + "/"));
  };
  for (const auto* host :
       {"127.0.0.1:8080", "10.1.2.3", "192.168.0.1", "169.254.169.254", "0.0.0.0", "2130706433", "0x7f.1", "[::1]",
        "[fd00::1]", "[::ffff:10.0.0.1]", "localhost", "LOCALHOST.", "a.localhost"})
    EXPECT_TRUE(is_private(host)) << host;
  for (const auto* host :
       {"8.8.8.8", "[2001:4860:4860::8888]", "example.org", "localhost.example.org", "10.example.org"})
    EXPECT_FALSE(is_private(host)) << host;
}

TEST(AsciiHost, IsTheNameThatIsLookedUp) {
  EXPECT_EQ(ascii_host("example.com"), "example.com");
  EXPECT_EQ(ascii_host("\xD0\xBF\xD1\x80\xD0\xB8\xD0\xBC\xD0\xB5\xD1\x80.example"), "xn--e1afmkfd.example");
  EXPECT_EQ(ascii_host("ex ample"), std::nullopt);
  EXPECT_EQ(ascii_host(""), std::nullopt);
  EXPECT_EQ(ascii_host("example.com%a"), std::nullopt);
  // Letters of full width that end a name, once they are ASCII.
  for (const auto* sign : {"\xEF\xBC\x85", "\xEF\xBC\x8F", "\xEF\xBC\x9F", "\xEF\xBC\xA0", "\xEF\xBC\x9A"})
    EXPECT_EQ(ascii_host(std::string("example.com") + sign + "evil.example"), std::nullopt) << sign;
  EXPECT_EQ(ascii_host("\xEF\xBD\x85xample.com"), "example.com");
}

}  // namespace fetch_url_test
}  // namespace web
