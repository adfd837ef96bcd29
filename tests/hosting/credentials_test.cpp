#include <gtest/gtest.h>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/hosting/credentials/binding.h"
#include "appliance/hosting/egress_proxy/scrubber.h"

namespace credentials_test {

using credentials::Credential;
using egress_proxy::Scrubber;

Credential forge(credentials::Form form) {
  Credential credential;
  credential.name = "FORGE";
  credential.secret.clear = "canary-4711/of+the\"forge&x";
  credential.hosts = {"forge.example.org"};
  credential.form = form;
  return credential;
}

std::string fed_byte_by_byte(Scrubber scrubber, const std::string& text) {
  std::string clean;
  for (const char c : text) clean += scrubber.feed(std::string(1, c));
  return clean + scrubber.finish();
}

TEST(Scrubber, FindsTheSecretInEachOfItsForms) {
  const auto traces = credentials::traces_of(forge(credentials::Form::bearer));
  for (const auto& [form, by] : traces) EXPECT_EQ(fed_byte_by_byte(Scrubber(traces), "<" + form + ">"), "<cred:FORGE>");
}

TEST(Scrubber, FindsTheSecretInBase64BehindAnything) {
  const auto credential = forge(credentials::Form::basic);
  for (const std::string user : {"", "a", "ab", "abc", "abcd"})
    for (const std::string rest : {"", "z", "zz"}) {
      const auto encoded = crypto::to_base64(user + ":" + credential.secret.clear + rest);
      const auto clean = fed_byte_by_byte(Scrubber(credentials::traces_of(credential)), encoded);
      EXPECT_NE(clean.find("cred:FORGE"), std::string::npos) << encoded;
      EXPECT_LT(clean.size(), 28) << clean;
    }
}

TEST(Scrubber, HoldsBackOnlyWhatMayBeTheBeginOfASecret) {
  Scrubber scrubber({{"canary-4711", "cred:A"}, {"canary-4711-long", "cred:B"}});
  EXPECT_EQ(scrubber.feed("data: hello\n\n"), "data: hello\n\n");
  EXPECT_EQ(scrubber.feed("data: can"), "data: ");
  EXPECT_EQ(scrubber.feed("cel"), "cancel");
  EXPECT_EQ(scrubber.feed("canary-4711-lon"), "");
  EXPECT_EQ(scrubber.feed("e"), "cred:A-lone");
  EXPECT_EQ(scrubber.feed("canary-4711-long"), "cred:B");
  EXPECT_EQ(scrubber.finish(), "");
}

TEST(CredentialBinding, HoldsForWhatTheServerTakesTheRequestFor) {
  auto credential = forge(credentials::Form::bearer);
  credential.paths = {"/api"};
  credential.methods = {"GET"};
  const auto is_put = [&credential](const std::string& target, const credentials::Headers& more = {}) {
    credentials::Outgoing request;
    request.scheme = "https";
    request.host = "forge.example.org";
    request.method = "GET";
    request.target = target;
    request.headers = {{"Authorization", "Bearer cred:FORGE"}};
    request.headers.insert(request.headers.end(), more.begin(), more.end());
    return credentials::put_in(request, {credential}).has_value();
  };
  EXPECT_TRUE(is_put("/api/x"));
  EXPECT_TRUE(is_put("/api/x;v=1"));
  for (const char* path : {"/other", "/api/../other", "/api/..;/other", "/api/.;a/other", "/api/%2e%2e/other"})
    EXPECT_FALSE(is_put(path)) << path;
  for (const char* header :
       {"x-http-method-override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL"})
    EXPECT_FALSE(is_put("/api/x", {{header, "/other"}})) << header;
  std::string many;
  for (int number = 0; number < 20; ++number) many += " cred:N" + std::to_string(number);
  EXPECT_FALSE(is_put("/api/x", {{"X-Many", many}}));
}

}  // namespace credentials_test
