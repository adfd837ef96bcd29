#include "summarizer/egress.h"

#include <gmock/gmock.h>

namespace summarizer {
namespace egress_test {

TEST(SummarizerEgress, AdmitsNamesAndDomains) {
  EXPECT_TRUE(admits(std::nullopt, "anywhere.example"));
  const Egress list = std::vector<std::string>{"example.org", ".example.net"};
  for (const char* host : {"example.org", "www.example.net", "a.b.example.net"})
    EXPECT_TRUE(admits(list, host)) << host;
  for (const char* host : {"www.example.org", "example.net", ".example.net", "badexample.net", "example.org.evil", ""})
    EXPECT_FALSE(admits(list, host)) << host;
  EXPECT_FALSE(admits(std::vector<std::string>(), "example.org"));
}

TEST(SummarizerEgress, IsAHeaderOfTheBox) {
  EXPECT_EQ(egress_text({"a", ".b"}), "a,.b");
  const auto of = [](const std::string& value) {
    web::Request request;
    request.headers.push_back({egress_header, value});
    return egress_of(request);
  };
  EXPECT_EQ(of("a,.b"), (std::vector<std::string>{"a", ".b"}));
  EXPECT_EQ(of(egress_text({})), std::vector<std::string>());
  EXPECT_EQ(egress_of(web::Request()), std::nullopt);
}

}  // namespace egress_test
}  // namespace summarizer
