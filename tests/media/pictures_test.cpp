#include <gmock/gmock.h>

#include "appliance/media/videos/links.h"
#include "appliance/media/videos/order.h"
#include "appliance/media/videos/picture.h"
#include "appliance/media/videos/screenplay.h"

#include <boost/json.hpp>

namespace videos {
namespace pictures_test {

using namespace std::chrono_literals;
using namespace std::string_literals;

std::string png(unsigned width, unsigned height) {
  std::string bytes = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s;
  for (const unsigned value : {width, height})
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes + std::string(20, '\0');
}

TEST(Picture, SizesAreReadFromEachFormat) {
  const auto size = [](std::string bytes) {
    const auto picture = look_at(std::move(bytes));
    return picture ? std::pair(picture->width, picture->height) : std::pair(0u, 0u);
  };
  EXPECT_EQ(size(png(320, 200)), std::pair(320u, 200u));
  EXPECT_EQ(size("GIF89a\x40\x01\xc8\0\0\0\0\0"s), std::pair(320u, 200u));
  EXPECT_EQ(size("\xff\xd8\xff\xe0\0\x04\0\0\xff\xc0\0\x11\x08\0\xc8\x01\x40\x03\0\0\0"s), std::pair(320u, 200u));
  EXPECT_EQ(size("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x3f\x01\0\xc7\0\0\0\0"s), std::pair(320u, 200u));
}

TEST(Picture, AnythingElseIsRefused) {
  for (const std::string& bytes :
       {""s, "<svg/>"s, "#EXTM3U\n"s, "\x89PNG\r\n\x1a\n"s, "\xff\xd8\xff"s, "\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0\0"s,
        "GIF89a"s, "RIFF\0\0\0\0WEBP"s, png(0, 10), png(10'000, 10'000), png(0xFFFFFFFF, 0xFFFFFFFF)})
    EXPECT_FALSE(look_at(bytes));
}

TEST(Links, AreValidForOneVideoAndAWhile) {
  const Links links("key", 1h);
  const store::Time now{1'700'000'000s};
  const auto link = links.link_to("vid_a", now);
  const auto query = link.path.substr(link.path.find('?') + 1);
  const auto expires = query.substr(8, query.find('&') - 8), signature = query.substr(query.rfind('=') + 1);
  EXPECT_TRUE(links.is_valid("vid_a", expires, signature, now));
  EXPECT_TRUE(links.is_valid("vid_a", expires, signature, now + 59min));
  EXPECT_FALSE(links.is_valid("vid_a", expires, signature, now + 1h));
  EXPECT_FALSE(links.is_valid("vid_b", expires, signature, now));
  EXPECT_FALSE(links.is_valid("vid_a", "9999999999", signature, now));
  EXPECT_FALSE(links.is_valid("vid_a", "x", signature, now));
  EXPECT_FALSE(links.is_valid("vid_a", expires, "", now));
  EXPECT_FALSE(Links("other", 1h).is_valid("vid_a", expires, signature, now));
}

std::vector<Scene> scenes(std::string_view body) {
  const auto order = parse_order(boost::json::parse(std::string(body)).as_object());
  if (!order) return {};
  auto list = scenes_of(*order);
  set_lengths(list, *order);
  return list;
}

TEST(Screenplay, LastsTenToSixtySeconds) {
  const auto shortest = scenes(R"({"type":"demo","agentName":"A","agentDescription":"B"})");
  EXPECT_NEAR(total_length(shortest).count(), 10, 0.01);
  const auto longest =
      scenes(R"({"type":"demo","agentName":"A","agentDescription":")" + std::string(1'000, 'x') + "\"}");
  EXPECT_NEAR(total_length(longest).count(), 60, 0.01);
  const auto asked = scenes(R"({"type":"tutorial","topic":"A","steps":"1\n2\n\n3","duration":20})");
  EXPECT_NEAR(total_length(asked).count(), 20, 0.01);
  EXPECT_EQ(asked.size(), 4);
}

TEST(Screenplay, EveryScenePassesSlowlyEnough) {
  for (
      const auto& scene : scenes(
          R"({"type":"marketing","productName":"A","duration":10,"features":["1","2","3","4","5","6","7","8","9","10"]})"))
    EXPECT_GE(scene.length.count(), 0.7);
}

}  // namespace pictures_test
}  // namespace videos
