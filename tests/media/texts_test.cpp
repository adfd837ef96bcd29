#include <gmock/gmock.h>

#include "appliance/media/videos/subtitles.h"
#include "appliance/media/videos/text_layout.h"

namespace videos {
namespace texts_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(BreakLines, BreaksAtSpaces) {
  EXPECT_THAT(break_lines("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(break_lines("  one   two  ", 20), ElementsAre("one two"));
  EXPECT_THAT(break_lines("one\n\ntwo", 20), ElementsAre("one", "two"));
  EXPECT_THAT(break_lines("", 20), IsEmpty());
  EXPECT_THAT(break_lines(" \t\r\n ", 20), IsEmpty());
}

TEST(BreakLines, BreaksLongWords) { EXPECT_THAT(break_lines("abcdefgh ij", 3), ElementsAre("abc", "def", "gh", "ij")); }

TEST(BreakLines, BreaksScriptsWithoutSpacesAnywhere) {
  EXPECT_THAT(break_lines("\u4f60\u597d\u4e16\u754c", 4), ElementsAre("\u4f60\u597d", "\u4e16\u754c"));
}

TEST(BreakLines, KeepsMarksWithTheirLetters) {
  EXPECT_THAT(break_lines("e\u0301e\u0301e\u0301", 2), ElementsAre("e\u0301e\u0301", "e\u0301"));
}

TEST(SplitText, EndsPartsWithSentences) {
  EXPECT_THAT(split_text("First one. Second one. Third.", 12, 5), ElementsAre("First one.", "Second one.", "Third."));
  EXPECT_THAT(split_text("a b c d e f g h", 4, 2), SizeIs(2));
  EXPECT_THAT(split_text("x", 100, 5), ElementsAre("x"));
  EXPECT_THAT(split_text(std::string(1'000, 'x'), 100, 3), SizeIs(3));
}

TEST(RightToLeft, IsDecidedByTheFirstLetter) {
  EXPECT_TRUE(is_right_to_left("123 \u0645\u0631\u062d\u0628\u0627 hello"));
  EXPECT_TRUE(is_right_to_left("\u05e9\u05dc\u05d5\u05dd"));
  EXPECT_FALSE(is_right_to_left("hello \u05e9\u05dc\u05d5\u05dd"));
  EXPECT_FALSE(is_right_to_left("\u4f60\u597d"));
  EXPECT_FALSE(is_right_to_left("42"));
}

TEST(Escaped, LeavesNoCommand) {
  EXPECT_EQ(escaped("{\\p1}"), "\\{\\\u2060p1\\}");
  EXPECT_EQ(escaped("a\nb\tc\x7f"), "a b c ");
  EXPECT_EQ(escaped("\\N"), "\\\u2060N");
}

// A command of libass is a backslash or a brace that is not escaped; a line end would begin another event.
TEST(Subtitles, HoldNothingOfTheTextsAsCommands) {
  std::string hostile;
  for (int c = 1; c < 128; ++c) hostile += static_cast<char>(c);
  std::vector<Scene> scenes{{.label = hostile, .title = hostile, .text = hostile + hostile, .narration = {}}};
  scenes.front().length = Seconds(5);
  const auto script = subtitles_of(scenes);
  const auto events = script.substr(script.find("[Events]"));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = events.find('\n', at)) != std::string::npos; ++at) ++lines;
  std::size_t dialogues = 0;
  for (std::size_t at = 0; (at = events.find("\nDialogue: ", at)) != std::string::npos; ++at) ++dialogues;
  EXPECT_EQ(lines, dialogues + 2);
}

}  // namespace texts_test
}  // namespace videos
