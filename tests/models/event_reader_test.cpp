#include "appliance/models/providers/sse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace event_reader_test {

using testing::ElementsAre;

TEST(EventReader, AcceptsAnyFragmentation) {
  const std::string text = "data: one\r\n\r\nevent: e\ndata:two\ndata: three\n\n:note\n\ndata: four\r\r";
  for (std::size_t piece = 1; piece < 8; ++piece) {
    std::vector<std::string> seen;
    std::vector<std::string> comments;
    models::EventReader reader(
        [&](std::string_view event, std::string_view data) {
          seen.push_back(std::string(event) + "|" + std::string(data));
          return true;
        },
        [&](std::string_view comment) { comments.emplace_back(comment); });
    for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(std::string_view(text).substr(at, piece));
    EXPECT_THAT(seen, ElementsAre("|one", "e|two\nthree", "|four")) << piece;
    EXPECT_THAT(comments, ElementsAre("note")) << piece;
  }
}

}  // namespace event_reader_test
