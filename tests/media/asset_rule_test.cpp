#include "appliance/media/stream_webhooks/payload.h"

#include <gmock/gmock.h>

namespace stream_webhooks {
namespace asset_rule_test {

TEST(AssetRule, KeepsLongRecordingsInFullHd) {
  EXPECT_EQ(fate_of({.duration = 900.1, .height = 1080}), Fate::archived);
  EXPECT_EQ(fate_of({.duration = 7'200, .height = 2160}), Fate::archived);
}

TEST(AssetRule, DeletesShortOrLowOnes) {
  EXPECT_EQ(fate_of({.duration = 900, .height = 1080}), Fate::deletion);
  EXPECT_EQ(fate_of({.duration = 7'200, .height = 1079}), Fate::deletion);
  EXPECT_EQ(fate_of({.duration = 7'200, .height = 0}), Fate::deletion);
}

TEST(AssetRule, DeletesNothingForWantOfInformation) {
  EXPECT_EQ(fate_of({.duration = {}, .height = {}}), Fate::archived);
  EXPECT_EQ(fate_of({.duration = 7'200, .height = {}}), Fate::archived);
  EXPECT_EQ(fate_of({.duration = {}, .height = 720}), Fate::deletion);
}

TEST(Payload, ReadsTheFactsOfAnAsset) {
  const auto payload = parse(R"({"type":"video.asset.ready","id":"e1","created_at":"2026-01-31T12:00:00.000000Z",
      "data":{"id":"a1","duration":901.5,"live_stream_id":"s1","resolution_tier":"720p",
      "tracks":[{"type":"audio"},{"type":"video","max_width":1080,"max_height":1920}]}})",
                             store::Time{});
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->object, "a1");
  EXPECT_EQ(payload->live_stream, "s1");
  EXPECT_EQ(payload->asset.height, 1080);
  EXPECT_EQ(payload->asset.duration, 901.5);
  EXPECT_EQ(std::chrono::floor<std::chrono::days>(payload->created_at),
            std::chrono::sys_days(std::chrono::year(2026) / 1 / 31));
}

TEST(Payload, ReadsTiersWhereThereAreNoTracks) {
  const auto height = [](std::string data) {
    const auto payload = parse(R"({"type":"video.asset.ready","data":{"id":"a",)" + data + "}}", store::Time{});
    return payload ? payload->asset.height : std::optional(-1);
  };
  EXPECT_EQ(height(R"("resolution_tier":"1080p")"), 1080);
  EXPECT_EQ(height(R"("max_stored_resolution":"UHD")"), 2160);
  EXPECT_EQ(height(R"("max_stored_resolution":"HD")"), 720);
  EXPECT_EQ(height(R"("resolution_tier":"9000p")"), std::nullopt);
  EXPECT_EQ(height(R"("tracks":[{"type":"video","max_height":1e300}])"), 100'000);
}

TEST(Payload, MustBeAnObjectWithAType) {
  for (const std::string_view text : {"", "{", "[]", "1", "{}", R"({"type":7})", "\"x\""})
    EXPECT_FALSE(parse(text, store::Time{})) << text;
}

}  // namespace asset_rule_test
}  // namespace stream_webhooks
