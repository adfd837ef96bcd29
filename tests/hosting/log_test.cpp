#include "appliance/runtime/log_file.h"

#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "appliance/runtime/docker/log_frames.h"
#include "tests/hosting/agent_fixture.h"

namespace log_test {

using runtime::LogFile;
using runtime::LogLine;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<LogLine>& lines) {
  std::vector<std::string> found;
  for (const auto& line : lines) found.push_back(line.text);
  return found;
}

class Log : public testing::Test {
 protected:
  void write(std::string_view text) { std::ofstream(folder.path() / "agent.log", std::ios::app) << text; }

  agent_tests::TemporaryFolder folder;
  const LogFile log{folder.path()};
};

TEST_F(Log, IsEmptyUntilSomethingIsWritten) {
  EXPECT_THAT(log.read({}).lines, IsEmpty());
  EXPECT_EQ(log.end(), 0u);
  log.rotate(0);
  std::uint64_t position = 0;
  EXPECT_THAT(log.read_on(position, 1000), IsEmpty());
}

TEST_F(Log, HasCompleteLinesOnly) {
  write("one\n\nthree\r\nfo");
  EXPECT_THAT(texts(log.read({}).lines), ElementsAre("one", "", "three"));
  EXPECT_THAT(texts(log.read({.limit = 1, .after = {}, .since = {}, .until = {}}).lines), ElementsAre("three"));
  std::uint64_t position = log.end();
  EXPECT_THAT(log.read_on(position, 1000), IsEmpty());
  write("ur\n");
  EXPECT_THAT(texts(log.read_on(position, 1000)), ElementsAre("four"));
}

TEST_F(Log, BreaksLinesThatAreTooLong) {
  write(std::string(40'000, 'x') + "\nend\n");
  const auto lines = log.read({}).lines;
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].text.size() + lines[1].text.size() + lines[2].text.size(), 40'000u);
  EXPECT_EQ(lines[3].text, "end");
}

TEST_F(Log, OfMoreThanItMayTakeHasTheEnd) {
  const std::string line(1'023, 'x');
  for (int i = 0; i < 20 * 1'024; ++i) write(line + "\n");
  write("the end\n");
  const auto last = log.read({.limit = 2, .after = {}, .since = {}, .until = {}}).lines;
  EXPECT_THAT(texts(last), ElementsAre(line, "the end"));
  EXPECT_EQ(log.end(), (20u << 20) + 8);
  std::uint64_t position = log.end();
  write("more\n");
  EXPECT_THAT(texts(log.read_on(position, 1000)), ElementsAre("more"));
}

TEST_F(Log, ReadsTheTimestampsOfLines) {
  write(R"({"time":"2026-01-31T12:00:00.250Z","event":"x"})"
        "\nplain\n"
        R"({"time":"2026-01-31T12:00:02Z","event":"y"})"
        "\n");
  const auto lines = log.read({}).lines;
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].at, *runtime::docker::parse_log_line("2026-01-31T12:00:00.250Z x").at);
  EXPECT_FALSE(lines[1].at);
  EXPECT_EQ(log.read({.limit = 9, .after = {}, .since = lines[2].at, .until = {}}).lines.size(), 1u);
  EXPECT_EQ(log.read({.limit = 9, .after = {}, .since = {}, .until = lines[0].at}).lines.size(), 1u);
}

// Whatever is written and rotated in between: who goes on from the last line misses none and gets none twice, as long
// as not two rotations come between two looks.
TEST_F(Log, IsResumedAcrossRotations) {
  std::minstd_rand random(4711);
  std::uint64_t position = 0;
  std::vector<std::string> written, read, ids;
  for (int round = 0; round < 400; ++round) {
    for (auto count = random() % 4; count > 0; --count) {
      written.push_back("line " + std::to_string(written.size()) + std::string(random() % 30, '.'));
      write(written.back() + "\n");
    }
    if (random() % 5 == 0) log.rotate(20);
    std::vector<LogLine> lines;
    do {
      lines = log.read_on(position, 64);
      for (auto& line : lines) {
        read.push_back(line.text);
        ids.push_back(line.id);
      }
    } while (!lines.empty());
    ASSERT_EQ(read, written) << round;
    const auto newest = log.read({.limit = 3, .after = {}, .since = {}, .until = {}}).lines;
    for (std::size_t i = 0; i < newest.size(); ++i) {
      ASSERT_EQ(newest[i].id, ids[ids.size() - newest.size() + i]) << "one id, however it is read";
      ASSERT_EQ(newest[i].text, read[read.size() - newest.size() + i]);
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

// Page by page from a line on: all that follows, and it is told when some of it is gone.
TEST_F(Log, IsReadInPagesAfterALine) {
  const auto behind = [&](std::string after) {
    return log.read({.limit = 2, .after = std::move(after), .since = {}, .until = {}});
  };
  write("one\ntwo\nthree\n");
  log.rotate(0);
  write("four\nfive\n");
  const auto all = log.read({}).lines;
  std::vector<std::string> read{"one"};
  for (auto page = behind(all[0].id); !page.lines.empty(); page = behind(page.lines.back().id)) {
    EXPECT_FALSE(page.is_truncated);
    EXPECT_LE(page.lines.size(), 2u);
    for (const auto& text : texts(page.lines)) read.push_back(text);
  }
  EXPECT_EQ(read, texts(all));
  EXPECT_FALSE(behind(all.back().id).is_truncated) << "its last line is of this log, too";

  log.rotate(0);
  write("six\n");
  EXPECT_THAT(texts(behind(all[2].id).lines), ElementsAre("four", "five"));
  const auto cut = behind(all[0].id);
  EXPECT_TRUE(cut.is_truncated);
  EXPECT_THAT(texts(cut.lines), ElementsAre("four", "five"));
  const auto foreign = behind(runtime::log_position(1'769'860'800'000'000'007));
  EXPECT_TRUE(foreign.is_truncated) << "an id of the container that this agent once was";
  EXPECT_THAT(texts(foreign.lines), ElementsAre("four", "five"));
}

TEST(LogPosition, OrdersAsText) {
  EXPECT_LT(runtime::log_position(9), runtime::log_position(10));
  EXPECT_EQ(runtime::parse_log_position(runtime::log_position(123)), 123u);
  for (const auto* wrong : {"", "1", "000000000000000000x", "-000000000000000001", "00000000000000000001"})
    EXPECT_FALSE(runtime::parse_log_position(wrong)) << wrong;
}

TEST(DockerLogLine, UsesItsTimeAsId) {
  const auto line = runtime::docker::parse_log_line("2026-01-31T12:00:00.000000007Z hello  world");
  EXPECT_EQ(line.text, "hello  world");
  EXPECT_EQ(line.id, runtime::log_position(1'769'860'800'000'000'007));
  EXPECT_EQ(runtime::docker::since_query(line.id), "&since=1769860800.000000007");
  EXPECT_EQ(runtime::docker::since_query(""), "");
  const auto shorter = runtime::docker::parse_log_line("2026-01-31T12:00:00.5Z x");
  EXPECT_EQ(shorter.id, runtime::log_position(1'769'860'800'500'000'000));
  EXPECT_EQ(runtime::docker::parse_log_line("2026-01-31T12:00:00.5Z").text, "");
  const auto timeless = runtime::docker::parse_log_line("hello");
  EXPECT_EQ(timeless.text, "hello");
  EXPECT_FALSE(timeless.at);
}

}  // namespace log_test
