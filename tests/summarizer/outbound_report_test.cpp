#include "summarizer/outbound_report.h"

#include <gtest/gtest.h>

namespace summarizer {

TEST(OutboundReport, IsReadAsItWasWritten) {
  const web::OutboundEntry entry{.line = {.origin = {.part = "summarizer", .agent = "a1"},
                                          .host = "example.org",
                                          .port = 443,
                                          .setting = "EGRESS"},
                                 .count = {.calls = 2, .refused = 1, .bytes_out = 300, .bytes_in = 40'000}};
  auto lines = report_of({entry});
  ASSERT_TRUE(lines.ends_with("\n"));
  lines.pop_back();
  const auto read = read_report(lines);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->line, entry.line);
  EXPECT_EQ(read->count.calls, 2);
  EXPECT_EQ(read->count.refused, 1);
  EXPECT_EQ(read->count.bytes_out, 300);
  EXPECT_EQ(read->count.bytes_in, 40'000);
}

TEST(OutboundReport, OfAHostileProcessIsHeldAgainstItsBounds) {
  for (const char* line :
       {"", "[]", "{}", "not JSON",
        R"({"agent":"","host":"","port":1,"setting":"","calls":1,"refused":0,"out":0,"in":0})",
        R"({"agent":"","host":"a\nb","port":1,"setting":"","calls":1,"refused":0,"out":0,"in":0})",
        R"({"agent":"","host":"a","port":70000,"setting":"","calls":1,"refused":0,"out":0,"in":0})",
        R"({"agent":"","host":"a","port":1,"setting":"","calls":-1,"refused":0,"out":0,"in":0})",
        R"({"agent":"","host":"a","port":1,"setting":"","calls":1,"refused":0,"out":9223372036854775807,"in":0})"})
    EXPECT_FALSE(read_report(line).has_value()) << line;
}

}  // namespace summarizer
