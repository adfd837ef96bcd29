// Markdown in the forms of providers, and long texts in pieces.
#include <gtest/gtest.h>

#include "appliance/hosting/channels/markup.h"

namespace channel_markup_test {

using channels::cut;
using channels::Format;
using channels::render;

TEST(ChannelMarkup, IsWrittenInTheFormOfEachProvider) {
  const std::string text =
      "# Title\n**bold** and *it* `a<b` [x & y](https://e.test/?a=1&b=2)\n- one\n1. two\n> said\n> twice";
  EXPECT_EQ(render(text, Format::telegram_html),
            "<b>Title</b>\n<b>bold</b> and <i>it</i> <code>a&lt;b</code> "
            "<a href=\"https://e.test/?a=1&amp;b=2\">x &amp; y</a>\n• one\n1. two\n"
            "<blockquote>said\ntwice</blockquote>");
  EXPECT_EQ(
      render(text, Format::mrkdwn),
      "*Title*\n*bold* and _it_ `a&lt;b` <https://e.test/?a=1&amp;b=2|x &amp; y>\n• one\n1. two\n> said\n> twice");
  EXPECT_EQ(render(text, Format::whatsapp),
            "*Title*\n*bold* and _it_ `a<b` x & y (https://e.test/?a=1&b=2)\n• one\n1. two\n> said\n> twice");
  EXPECT_EQ(render(text, Format::plain),
            "Title\nbold and it a<b x & y (https://e.test/?a=1&b=2)\n• one\n1. two\n> said\n> twice");
  EXPECT_EQ(render(text, Format::markdown), text);
}

TEST(ChannelMarkup, ClosesWhatItOpens) {
  EXPECT_EQ(render("**never closed", Format::telegram_html), "**never closed");
  EXPECT_EQ(render("a * b * c and a_b_c and 2*3*4", Format::telegram_html), "a * b * c and a_b_c and 2<i>3</i>4");
  EXPECT_EQ(render("**a *b** c*", Format::telegram_html), "<b>a *b</b> c*");
  EXPECT_EQ(render("**a **b** c**", Format::telegram_html).find("<b><b>"), std::string::npos);
  EXPECT_EQ(render("```js\nif (a < b) {", Format::telegram_html),
            "<pre><code class=\"language-js\">if (a &lt; b) {</code></pre>");
  EXPECT_EQ(render("```\"onclick=\nx\n```", Format::telegram_html), "<pre><code>x</code></pre>");
  EXPECT_EQ(render("[x](javascript:alert(1))", Format::telegram_html).find("javascript"), std::string::npos);
  EXPECT_EQ(render("<script>&amp;", Format::telegram_html), "&lt;script&gt;&amp;amp;");
  EXPECT_EQ(render("\\*no\\*", Format::telegram_html), "*no*");
  const std::string deep(10'000, '[');
  EXPECT_EQ(render(deep, Format::telegram_html), deep);
}

TEST(ChannelMarkup, CountsEntitiesWhereTheProviderDoes) {
  EXPECT_EQ(channels::measure("a<b>&c", {.length = 10}), 6u);
  EXPECT_EQ(channels::measure("a<b>&c", {.length = 10, .is_escaped = true}), std::string("a&lt;b&gt;&amp;c").size());
  for (const auto& piece : cut(std::string(300, '<') + " x", {.length = 100, .is_escaped = true}))
    EXPECT_LE(render(piece, Format::mrkdwn).size(), 100u);
}

TEST(ChannelMarkup, IsCutAtParagraphsLinesAndSpaces) {
  EXPECT_TRUE(cut("", {.length = 10}).empty());
  EXPECT_TRUE(cut(" \n\n", {.length = 10}).empty());
  EXPECT_EQ(cut("short", {.length = 10}), std::vector<std::string>{"short"});
  EXPECT_EQ(cut("one two\n\nthree four", {.length = 12}), (std::vector<std::string>{"one two", "three four"}));
  EXPECT_EQ(cut("one two three four", {.length = 10}), (std::vector<std::string>{"one two", "three four"}));
  const auto code = cut("```js\naaaa\nbbbb\ncccc\n```\nend", {.length = 20});
  for (const auto& piece : code) {
    EXPECT_LE(piece.size(), 20u);
    const bool is_code =
        piece.find("aa") != piece.npos || piece.find("bb") != piece.npos || piece.find("cc") != piece.npos;
    EXPECT_TRUE(!is_code || piece.starts_with("```js\n")) << piece;
  }
  std::string long_line;
  for (int word = 0; word < 5'000; ++word) long_line += "w" + std::to_string(word) + " ";
  std::string joined;
  for (const auto& piece : cut(long_line, {.length = 100})) {
    EXPECT_LE(piece.size(), 100u);
    joined += piece + " ";
  }
  EXPECT_EQ(joined, long_line);
}

TEST(ChannelMarkup, CountsUtf16AndSplitsNoCharacter) {
  EXPECT_EQ(channels::measure("aé😀", {.length = 1}), 4u);
  EXPECT_EQ(channels::measure("aé😀", {.length = 1, .in_bytes = true}), 7u);
  std::string faces;
  for (int face = 0; face < 30; ++face) faces += "😀";
  for (const auto& piece : cut(faces, {.length = 9})) EXPECT_EQ(piece.size() % 4, 0u);
}

TEST(ChannelMarkup, FindsFilesThatAreLinked) {
  EXPECT_EQ(channels::linked_files("![a](out/a.png) [b](b.txt \"title\") [w](https://x.test) `[c](c.txt)` [t](#top)"),
            (std::vector<std::string>{"out/a.png", "b.txt"}));
  EXPECT_TRUE(channels::linked_files("```\n[a](a.txt)\n```").empty());
}

}  // namespace channel_markup_test
