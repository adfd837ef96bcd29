// Images that are fetched for providers that take bytes only.
#include "appliance/models/remote_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/models/providers/vendor_providers.h"
#include "tests/support/loopback.h"
#include "tests/support/scripted_server.h"

namespace remote_images_test {

using namespace test_support;
using testing::HasSubstr;
using testing::StartsWith;

const std::string png("\x89PNG\r\n\x1a\n rest", 13);

const models::GoogleProvider google{{.name = "google", .base_url = "http://127.0.0.1:1", .key = "sk-secret"}};
const models::AnthropicProvider anthropic{{.name = "anthropic", .base_url = "http://127.0.0.1:1", .key = "sk-secret"}};

models::ChatRequest request_with(std::vector<std::string> urls) {
  models::Message message{.content = "What is it?", .parts = {{.text = "What is it?"}}};
  for (auto& url : urls) message.parts.push_back({.url = std::move(url), .kind = models::PartKind::image});
  return {.messages = {std::move(message)}};
}

web::Result<models::ChatRequest> fetched(models::ChatRequest request, web::Reach reach = web::Reach::configured) {
  return await(models::with_fetched_images(std::move(request), google, reach));
}

TEST(RemoteImages, AreFetchedForThoseWhoDoNotFetchThem) {
  const auto secure = request_with({"https://example.org/a.png"}), plain = request_with({"http://example.org/a.png"}),
             inlined = request_with({"data:image/png;base64,AAAA"});
  EXPECT_TRUE(models::has_images_to_fetch(secure, google));
  EXPECT_TRUE(models::has_images_to_fetch(plain, google));
  EXPECT_FALSE(models::has_images_to_fetch(inlined, google));
  EXPECT_FALSE(models::has_images_to_fetch(secure, anthropic)) << "Claude fetches it";
  EXPECT_TRUE(models::has_images_to_fetch(plain, anthropic));
}

TEST(RemoteImages, BecomeBytesOfTheTypeThatTheyAre) {
  ScriptedServer server([](const Received&) { return http(200, png, {}, "text/html"); });
  const auto whole = fetched(request_with({"data:image/gif;base64,R0lG", server.url() + "/a"}));
  ASSERT_TRUE(whole) << whole.error().message;
  const auto& parts = whole->messages.at(0).parts;
  EXPECT_EQ(parts.at(1).url, "data:image/gif;base64,R0lG");
  EXPECT_EQ(parts.at(2).url, "data:image/png;base64,iVBORw0KGgogcmVzdA==");
  EXPECT_FALSE(models::has_images_to_fetch(*whole, google));
}

TEST(RemoteImages, AreRefusedByTheNameOfTheField) {
  const auto refusal = [](const std::string& url, web::Reach reach = web::Reach::configured) {
    const auto whole = fetched(request_with({url}), reach);
    return whole ? "fetched" : whole.error().message;
  };
  ScriptedServer page(std::vector{http(200, "<p>not an image</p>")}), missing(std::vector{http(404, "")}),
      large(std::vector{http(200, png + std::string(models::max_remote_image_bytes, ' '))});
  EXPECT_EQ(refusal(page.url()), "messages[0].content[1].image_url must lead to a PNG, JPEG, GIF or WebP image");
  EXPECT_THAT(refusal(missing.url()), HasSubstr("its server answered 404"));
  EXPECT_THAT(refusal(large.url()), StartsWith("messages[0].content[1].image_url cannot be fetched"));
  ScriptedServer inside(std::vector{http(200, png)});
  EXPECT_THAT(refusal(inside.url(), web::Reach::public_only),
              StartsWith("messages[0].content[1].image_url cannot be fetched"));
  EXPECT_TRUE(inside.received().empty());
}

TEST(RemoteImages, ShareOneLimit) {
  ScriptedServer server([](const Received&) { return http(200, png + std::string((6u << 20), ' ')); });
  const auto whole = fetched(request_with({server.url(), server.url(), server.url()}));
  ASSERT_FALSE(whole);
  EXPECT_THAT(whole.error().message, StartsWith("messages[0].content[3].image_url"));
}

}  // namespace remote_images_test
