#include "summarizer/url.h"

#include <gtest/gtest.h>

namespace summarizer {
namespace url_test {

struct Case {
  const char *reference, *absolute;  // null: none
};

class Resolves : public testing::TestWithParam<Case> {};

TEST_P(Resolves, AsABrowserDoes) {
  const UrlResolver urls("https://Example.com/a/b/page.html?q=1#top");
  EXPECT_EQ(urls.absolute(GetParam().reference).value_or("none"), GetParam().absolute ? GetParam().absolute : "none")
      << GetParam().reference;
}

INSTANTIATE_TEST_SUITE_P(Relative, Resolves,
                         testing::Values(Case{"c.html", "https://example.com/a/b/c.html"},
                                         Case{"/c", "https://example.com/c"}, Case{"../c", "https://example.com/a/c"},
                                         Case{"../../../../c", "https://example.com/c"},
                                         Case{"./", "https://example.com/a/b/"},
                                         Case{"http://x.example/../..", "http://x.example/"},
                                         Case{"?p=2", "https://example.com/a/b/page.html?p=2"},
                                         Case{"//cdn.example.net/x.js", "https://cdn.example.net/x.js"},
                                         Case{"c#part", "https://example.com/a/b/c#part"}));
INSTANTIATE_TEST_SUITE_P(Absolute, Resolves,
                         testing::Values(Case{"http://OTHER.example", "http://other.example/"},
                                         Case{"HTTP://other.example:80/x", "http://other.example/x"},
                                         Case{"https://other.example:443", "https://other.example/"},
                                         Case{"https://other.example:8443/", "https://other.example:8443/"},
                                         Case{"http://other.example/%7euser/./x/../y", "http://other.example/~user/y"},
                                         Case{"http://[2606:4700::1111]/", "http://[2606:4700::1111]/"}));
INSTANTIATE_TEST_SUITE_P(Repaired, Resolves,
                         testing::Values(Case{"  /c d \n", "https://example.com/c%20d"},
                                         Case{"/a\tb\nc", "https://example.com/abc"},
                                         Case{"\\\\cdn.example.net\\x", "https://cdn.example.net/x"},
                                         Case{"/caf\xC3\xA9?q=\xC3\xA9", "https://example.com/caf%C3%A9?q=%C3%A9"},
                                         Case{"http://b\xC3\xBC"
                                              "cher.example/x",
                                              "http://xn--bcher-kva.example/x"},
                                         Case{"/100%/x", "https://example.com/100%25/x"},
                                         Case{"/a[1]|b", "https://example.com/a%5B1%5D%7Cb"},
                                         Case{"/x#a#b", "https://example.com/x#a%23b"}));
INSTANTIATE_TEST_SUITE_P(LeftOut, Resolves,
                         testing::Values(Case{"", nullptr}, Case{"  ", nullptr}, Case{"#top", nullptr},
                                         Case{"mailto:a@example.com", nullptr}, Case{"javascript:void(0)", nullptr},
                                         Case{"JavaScript:alert(1)", nullptr}, Case{"java\nscript:x", nullptr},
                                         Case{"data:text/html,x", nullptr}, Case{"tel:+123", nullptr},
                                         Case{"ftp://example.com/", nullptr}, Case{"http://", nullptr},
                                         Case{"http:///x", nullptr}, Case{"http://[::1", nullptr},
                                         Case{"http://a:b:c/", nullptr}, Case{"http://a:99999/", nullptr},
                                         Case{"http://a:8x/", nullptr}, Case{"http://ex ample/", nullptr},
                                         Case{"http://example.com%a/b", nullptr},
                                         Case{"http://example.com\xEF\xBC\x8F.example/", nullptr}));

TEST(UrlResolver, FollowsTheBase) {
  UrlResolver urls("https://example.com/a/");
  urls.rebase("/other/");
  EXPECT_EQ(urls.absolute("x"), "https://example.com/other/x");
  urls.rebase("javascript:alert(1)");
  EXPECT_EQ(urls.absolute("x"), "https://example.com/other/x");
  urls.rebase("http://cdn.example.net/root/file");
  EXPECT_EQ(urls.absolute("x"), "http://cdn.example.net/root/x");
}

TEST(UrlResolver, WithoutABaseReadsAbsoluteOnesOnly) {
  const UrlResolver urls("not a url");
  EXPECT_EQ(urls.absolute("/x"), std::nullopt);
  EXPECT_EQ(urls.absolute("http://example.com/x"), "http://example.com/x");
}

TEST(UrlResolver, DropsTooLongAddresses) {
  const UrlResolver urls("https://example.com/");
  EXPECT_EQ(urls.absolute("/" + std::string(9'000, 'a')), std::nullopt);
}

}  // namespace url_test
}  // namespace summarizer
