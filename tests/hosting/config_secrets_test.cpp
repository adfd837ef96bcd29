#include "appliance/hosting/agents/config_secrets.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace config_secrets_test {

namespace json = boost::json;
using agents::split_config;

json::object object(std::string_view text) { return json::parse(text).as_object(); }

TEST(ConfigSecrets, AreFoundAtAnyDepth) {
  const auto split = split_config(
      object(R"({"plan":"solo","apiKey":"k1","nested":{"BOT_TOKEN":"k2","note":"n"},"list":[{"password":"k3"}],
                 "tokens":["not one"],"refreshToken":["k4"],"key":"","secret":7,"a/b~key":"k5"})"),
      {});
  EXPECT_EQ(json::serialize(split.shown),
            R"({"plan":"solo","apiKey":{"sealed":true},"nested":{"BOT_TOKEN":{"sealed":true},"note":"n"},)"
            R"("list":[{"password":{"sealed":true}}],"tokens":["not one"],"refreshToken":[{"sealed":true}],)"
            R"("key":"","secret":7,"a/b~key":{"sealed":true}})");
  EXPECT_EQ(split.secrets, object(R"({"/apiKey":"k1","/nested/BOT_TOKEN":"k2","/list/0/password":"k3",
                                      "/refreshToken/0":"k4","/a~1b~0key":"k5"})"));
}

TEST(ConfigSecrets, AreKeptByTheirMask) {
  const auto first = split_config(object(R"({"apiKey":"k1","nested":{"token":"k2"}})"), {});
  auto edited = first.shown;
  edited["note"] = "more";
  const auto second = split_config(edited, first.secrets);
  EXPECT_EQ(second.secrets, first.secrets);
  EXPECT_EQ(second.shown, edited);

  const auto replaced = split_config(object(R"({"apiKey":"other","nested":{"token":{"sealed":true}}})"), first.secrets);
  EXPECT_EQ(replaced.secrets, object(R"({"/apiKey":"other","/nested/token":"k2"})"));
  EXPECT_TRUE(split_config(object("{}"), first.secrets).secrets.empty()) << "what is left out is forgotten";
}

TEST(ConfigSecrets, AMaskWithoutASecretIsDropped) {
  const auto split = split_config(object(R"({"apiKey":{"sealed":true},"more":{"sealed":true,"x":1}})"), {});
  EXPECT_EQ(json::serialize(split.shown), R"({"more":{"sealed":true,"x":1}})");
}

}  // namespace config_secrets_test
