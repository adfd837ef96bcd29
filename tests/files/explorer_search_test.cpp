// Finding text: every line that a plain look at the file finds, and no more; bounded whatever is asked.
#include <random>

#include "appliance/files/explorer/search.h"
#include "tests/files/explorer_fixture.h"

namespace explorer_search_test {

using namespace explorer_tests;
using explorer::search;
using explorer::TextQuery;
using testing::ElementsAre;

class ExplorerSearch : public ExplorerTest {
 protected:
  std::vector<std::string> lines(const TextQuery& query, const explorer::SearchLimits& caps = {}) const {
    const auto found = search(place, query, caps);
    if (!found) throw std::runtime_error(found.error().message);
    std::vector<std::string> lines;
    for (const auto& match : found->matches) {
      lines.push_back(match.path + ":" + std::to_string(match.line) + ":" + std::to_string(match.column) + ":" +
                      match.text);
    }
    return lines;
  }
};

TEST_F(ExplorerSearch, ReportsEachLineOnceWithItsPosition) {
  put(root / "b.txt", "nothing\nGrüße an alle, an alle\r\nlast an");
  put(root / "a.txt", "an\n\nan an\n");
  put(root / "sub/c.txt", "can\n");
  EXPECT_THAT(lines({.text = "an"}), ElementsAre("a.txt:1:1:an", "a.txt:3:1:an an", "b.txt:2:7:Grüße an alle, an alle",
                                                 "b.txt:3:6:last an", "sub/c.txt:1:2:can"));
  EXPECT_THAT(lines({.text = "an", .path = "sub"}), ElementsAre("sub/c.txt:1:2:can"));
  EXPECT_THAT(lines({.text = "an", .path = "b.txt"}).size(), 2u);
}

TEST_F(ExplorerSearch, MatchesTextOrARegularExpression) {
  put(root / "a.c", "int f(void);\nint fx;\nINT F(VOID);\n");
  EXPECT_THAT(lines({.text = "f(void)"}), ElementsAre("a.c:1:5:int f(void);"));
  EXPECT_THAT(lines({.text = "f(void)", .ignores_case = true}).size(), 2u);
  EXPECT_THAT(lines({.text = "^int \\w+;$", .is_regexp = true}), ElementsAre("a.c:2:1:int fx;"));
  EXPECT_THAT(lines({.text = "^INT|fx", .is_regexp = true}), ElementsAre("a.c:2:5:int fx;", "a.c:3:1:INT F(VOID);"));
  EXPECT_THAT(lines({.text = ";\\s*int", .is_regexp = true}), ElementsAre()) << "never across lines";
  EXPECT_THAT(lines({.text = "^", .is_regexp = true}).size(), 3u) << "no line behind the last line feed";
}

TEST_F(ExplorerSearch, SkipsWhatTheTreeOmitsAndBinaryFiles) {
  for (const auto* path : {".git/config", "node_modules/x.js", "build/out.txt", "deep/__pycache__/x.pyc"}) {
    put(root / path, "needle");
  }
  put(root / "binary", std::string("needle\0needle", 13));
  put(root / "latin1", "needle \xe9");
  put(root / "huge", "needle" + std::string(explorer::max_searched_file_bytes, ' '));
  put(scratch.path() / "outside", "needle");
  fs::create_symlink(scratch.path() / "outside", root / "link");
  fs::create_directory_symlink(scratch.path(), root / "folder link");
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  put(root / "seen", "needle");
  EXPECT_THAT(lines({.text = "needle"}), ElementsAre("seen:1:1:needle"));
}

TEST_F(ExplorerSearch, InvalidInputIsRefusedWithTheReason) {
  for (const auto* text : {"(", "a{2,1}", "[z-a]", "\\", "(?P<n", "a**", "(a{1000}){1000}", "hi)|(foo", ")"}) {
    const auto found = search(place, {.text = text, .is_regexp = true});
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().kind, web::Kind::invalid);
    EXPECT_THAT(found.error().message, testing::StartsWith("q is ")) << text;
    EXPECT_THAT(found.error().message, testing::Not(testing::HasSubstr("(?m:"))) << text;
  }
  EXPECT_EQ(search(place, {.text = "((x{100}){100})", .is_regexp = true}).error().kind, web::Kind::invalid);
  for (const auto* path : {"../", "/etc", ".git", "a/../b", "git~1"}) {
    EXPECT_EQ(search(place, {.text = "x", .path = path}).error().kind, web::Kind::invalid) << path;
  }
  EXPECT_EQ(search(place, {.text = "x", .path = "absent"}).error().kind, web::Kind::not_found);
}

TEST_F(ExplorerSearch, EveryLimitTruncatesTheResultAndIsReported) {
  for (int i = 0; i < 20; ++i) put(root / ("f" + std::to_string(i)), "needle\nneedle\n");
  const auto cut = [&](const TextQuery& query, const explorer::SearchLimits& caps) {
    const auto found = search(place, query, caps);
    EXPECT_TRUE(found->is_truncated);
    return found->matches.size();
  };
  EXPECT_EQ(cut({.text = "needle", .matches = 7}, {}), 7u);
  EXPECT_EQ(cut({.text = "needle", .matches = 1'000'000}, {.matches = 9}), 9u);
  EXPECT_EQ(cut({.text = "needle"}, {.files = 3}), 6u);
  EXPECT_EQ(cut({.text = "needle"}, {.bytes = 20}), 4u);
  EXPECT_EQ(cut({.text = "needle"}, {.time = std::chrono::milliseconds(0)}), 0u);
  EXPECT_FALSE(search(place, {.text = "needle", .matches = 40})->is_truncated) << "all of them are no fewer than all";
}

TEST_F(ExplorerSearch, LongLinesAreCutAroundTheirMatch) {
  const std::string long_line = std::string(200'000, 'x') + "ä needle ü" + std::string(200'000, 'y');
  put(root / "min.js", "short needle\n" + long_line + "\nneedle again\n");
  const auto found = search(place, {.text = "needle"});
  ASSERT_EQ(found->matches.size(), 3u);
  EXPECT_EQ(found->matches[1].line, 2u);
  EXPECT_EQ(found->matches[1].column, 200'003u);
  EXPECT_LE(found->matches[1].text.size(), explorer::max_shown_line_bytes);
  EXPECT_THAT(found->matches[1].text, testing::HasSubstr("ä needle ü"));
  EXPECT_EQ(found->matches[2].line, 3u);
}

// What backtracking engines take exponential time for.
TEST_F(ExplorerSearch, HostileExpressionsTakeLinearTime) {
  put(root / "a", std::string(60'000, 'a') + "\n");
  for (const auto* text : {"(a+)+$b", "(a|aa)+$b", "(a*)*b", "(.*)(.*)(.*)(.*)(.*)[^a]b"}) {
    EXPECT_TRUE(lines({.text = text, .is_regexp = true}).empty()) << text;
  }
}

TEST_F(ExplorerSearch, FindsTheSameLinesAsANaiveSearch) {
  std::mt19937 random(20'260'321);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    const auto size = random() % 400;
    for (std::size_t i = 0; i < size; ++i) text += "ab\nc\u00e4"[random() % 4];
    put(root / "text", text);
    std::string wanted;
    for (std::size_t i = 0; i < 1 + random() % 3; ++i) wanted += "abc"[random() % 3];
    std::vector<std::string> expected;
    std::istringstream in(text);
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (const auto at = line.find(wanted); at != std::string::npos) {
        expected.push_back("text:" + std::to_string(number) + ":" + std::to_string(at + 1) + ":" + line);
      }
    }
    ASSERT_EQ(lines({.text = wanted, .matches = 1'000}), expected) << wanted << " in " << text;
  }
}

}  // namespace explorer_search_test
