#include "summarizer/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "summarizer/article.h"
#include "summarizer/dom.h"
#include "summarizer/extract.h"
#include "summarizer/markdown.h"
#include "summarizer/page_urls.h"
#include "summarizer/tree.h"

namespace summarizer {
namespace guard_test {

using testing::HasSubstr;

// The guard's output, without its doctype.
std::string guarded_body(std::string_view html, const Caps& caps = {}) {
  return guarded(html, caps).substr(std::string_view("<!DOCTYPE html>").size());
}

int depth_of(const GumboNode& node) {
  int deepest = 0;
  if (const auto* element = element_of(node)) {
    for (const GumboNode* child : children_of(*element)) deepest = std::max(deepest, depth_of(*child));
  }
  return deepest + 1;
}

TEST(Guard, LeavesGoodMarkupAlone) {
  const std::string page =
      "<html lang=\"en\"><head><title>T</title></head><body class=\"x\"><p>a <b>b</b> &amp; c</p><img src=\"i.png\">";
  EXPECT_EQ(guarded_body(page),
            "<html lang=\"en\"><head><title>T</title><body class=\"x\"><p>a <b>b</b> &amp; c</p><img src=\"i.png\">");
}

TEST(Guard, ClosesWhatIsOpenInOrder) {
  EXPECT_EQ(guarded_body("<p>one<p>two"), "<p>one</p><p>two</p>");
  EXPECT_EQ(guarded_body("<ul><li>a<li>b</ul>"), "<ul><li>a</li><li>b</li></ul>");
  EXPECT_EQ(guarded_body("<ul><li>a<ul><li>b</ul>c<li>d</ul>"), "<ul><li>a<ul><li>b</li></ul>c</li><li>d</li></ul>");
  EXPECT_EQ(guarded_body("<b><i>x</b>y</i>"), "<b><i>x</i></b>y");
  EXPECT_EQ(guarded_body("<a href=x>1<a href=y>2"), "<a href=\"x\">1</a><a href=\"y\">2</a>");
  EXPECT_EQ(guarded_body("<p><b>x<div>y</div>"), "<p><b>x</b></p><div>y</div>");
  EXPECT_EQ(guarded_body("<h1>a</h2>b"), "<h1>a</h1>b");
  EXPECT_EQ(guarded_body("</div>x</p>"), "x");
}

TEST(Guard, KeepsTablesTogether) {
  EXPECT_EQ(guarded_body("<table><tr><td>a<td>b<tr><td><b>c</table>d"),
            "<table><tr><td>a</td><td>b</td></tr><tr><td><b>c</b></td></tr></table>d");
  EXPECT_EQ(guarded_body("<div><table><tr><td></div>x</table></div>"), "<div><table><tr><td>x</td></tr></table></div>");
  EXPECT_EQ(guarded_body("<table><tr><b><tr><td>x"), "<table><tr><b></b></tr><tr><td>x</td></tr></table>");
  EXPECT_EQ(guarded_body("<td>x</td>"), "x");
}

TEST(Guard, DropsNonText) {
  EXPECT_EQ(guarded_body("a<script>if (x<y) '</p>'</script>b<style>p{}</style>c"), "abc");
  EXPECT_EQ(guarded_body("a<!-- <p> -->b<!-->c<!doctype x>d<?php e ?>f</ g>h"), "abcdfh");
  EXPECT_EQ(guarded_body("a<template><p>b<template></template>c</template>d"), "ad");
  EXPECT_EQ(guarded_body("a<svg><title>b</title><path d=x /><g>c</g></svg>d"), "ad");
  EXPECT_EQ(guarded_body("a<svg><g>b<p>c"), "a<p>c</p>");
  EXPECT_EQ(guarded_body("a<svg/>b"), "ab");
  EXPECT_EQ(guarded_body("a<noscript><p>b<img src=c></p></noscript>d"), "a<p><img src=\"c\"></p>d");
  EXPECT_EQ(guarded_body("<div><noscript>a</div>b"), "<div></div>b");
  EXPECT_EQ(guarded_body("a<script>never closed"), "a");
  EXPECT_EQ(guarded_body("a<p class=x"), "a");
}

TEST(Guard, LetsNoTextBecomeATag) {
  EXPECT_EQ(guarded_body("1 < 2 <<!-- -->script>x"), "1 &lt; 2 &lt;script>x");
  EXPECT_EQ(guarded_body("<textarea><b></textarea>"), "<textarea>&lt;b></textarea>");
  EXPECT_EQ(guarded_body("<p title='say \"hi\"'>"), "<p title=\"say &quot;hi&quot;\"></p>");
  EXPECT_EQ(guarded_body("<p a\"b=c =d x<y=z ok=1>"), "<p ok=\"1\"></p>");
}

TEST(Guard, ReplacesReferencesBeyondUnicode) {
  EXPECT_EQ(guarded_body("&#9999999999999999;a&#x123456789bz &#; &#x;"), "\uFFFDa\uFFFDz &#; &#x;");
  EXPECT_EQ(guarded_body("<p title='&#4294967295;'>&#0000000000065;&#x10FFFF;&#38"),
            "<p title=\"\uFFFD\">&#0000000000065;&#x10FFFF;&#38</p>");
}

TEST(Guard, CapsNestingAndKeepsTheText) {
  std::string page;
  for (int i = 0; i < 1'000; ++i) page += "<div>";
  page += "deep inside";
  for (int i = 0; i < 1'000; ++i) page += "</div>";
  page += "<p>after</p>";
  const auto tree = Tree::parse(guarded(page, {.depth = 20}));
  ASSERT_TRUE(tree);
  EXPECT_LE(depth_of(tree->root()), 25);
  EXPECT_EQ(readable_text(tree->root(), 100), "deep inside after");
  EXPECT_THAT(summarize(*tree).paragraphs, testing::ElementsAre("after"));
}

TEST(Guard, CapsBytesTagsAndAttributes) {
  EXPECT_EQ(guarded_body("<p>one<p>two<p>three", {.tags = 2}), "<p>one</p><p>two</p>");
  EXPECT_EQ(guarded_body("<p a=1 b=2 c=3>x", {.attributes = 2}), "<p a=\"1\" b=\"2\">x</p>");
  EXPECT_EQ(guarded_body("<p a=12345 b=2>x", {.attribute_value = 4}), "<p b=\"2\">x</p>");
  EXPECT_LT(guarded(std::string(100'000, '<'), {.bytes = 1'000}).size(), 10'000u);
}

// Pages for which gumbo alone takes minutes, gigabytes or all of its stack.
class Hostile : public testing::TestWithParam<std::pair<const char*, std::function<std::string()>>> {};

std::string repeated(std::string_view text, int times) {
  std::string out;
  out.reserve(text.size() * std::size_t(times));
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string numbered(std::string_view before, std::string_view after, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out.append(before).append(std::to_string(i)).append(after);
  return out;
}

// Seconds of processor time.
#ifdef AGENTBOX_SANITIZED
constexpr double patience = 20;
#else
constexpr double patience = 3;
#endif

TEST_P(Hostile, EndsSoonWithASummaryOrAnError) {
  const std::string page = GetParam().second() + "<p>the end</p>";
  const auto started = std::clock();
  const auto tree = Tree::parse(guarded(page));
  if (tree) {
    summarize(*tree);
    extract(*tree, "http://example.com/");
    render(Article(*tree, ""), urls_of(*tree, "http://example.com/"), Style::markdown);
    EXPECT_LE(depth_of(tree->root()), 600);
  } else {
    EXPECT_THAT(tree.error().message, HasSubstr("too complex"));
  }
  EXPECT_LT(double(std::clock() - started) / CLOCKS_PER_SEC, patience);
}

INSTANTIATE_TEST_SUITE_P(
    Pages, Hostile,
    testing::Values(std::pair{"nested", [] { return repeated("<div>", 100'000); }},
                    std::pair{"unclosed", [] { return repeated("<b>x", 1'000'000); }},
                    std::pair{"formatting", [] { return numbered("<p><b class=", ">x", 300'000); }},
                    std::pair{"formatting_tables", [] { return "<table>" + numbered("<tr><b class=", ">", 300'000); }},
                    std::pair{"one_tag", [] { return "<p " + numbered("a", "=1 ", 900'000) + ">"; }},
                    std::pair{"attributes", [] { return numbered("<i a=1 b=2 c=3 d=4 id=", "></i>", 300'000); }},
                    std::pair{"long_value", [] { return "<p a='" + std::string(10'000'000, 'x') + "'>"; }},
                    std::pair{"tables", [] { return repeated("<table><tr><td>", 300'000); }},
                    std::pair{"tables_in_tables", [] { return repeated("<table><b>x", 300'000); }},
                    std::pair{"links", [] { return repeated("<a href=x><div>", 300'000); }},
                    std::pair{"ends", [] { return repeated("<div>", 300) + repeated("</p></b></a>", 900'000); }},
                    std::pair{"lists", [] { return repeated("<ul><li>", 500'000); }},
                    std::pair{"comments", [] { return repeated("<!--", 2'000'000); }},
                    std::pair{"other_comments", [] { return repeated("<!--x--!>", 1'000'000); }},
                    std::pair{"blank_code", [] { return "<pre>" + std::string(9'000'000, '\n') + "x</pre>"; }},
                    std::pair{"angle_brackets", [] { return std::string(10'000'000, '<'); }},
                    std::pair{"raw_text", [] { return repeated("<title></titl", 500'000); }},
                    std::pair{"templates", [] { return repeated("<template>", 500'000); }},
                    std::pair{"foreign", [] { return repeated("<svg><p><math><b>", 200'000); }},
                    std::pair{"selects", [] { return repeated("<select><option><a>", 200'000); }},
                    std::pair{"forms", [] { return repeated("<form><button>", 200'000); }},
                    std::pair{"headings", [] { return repeated("<h1><section>", 100) + repeated(" x", 2'000'000); }},
                    std::pair{"entities", [] { return repeated("&notit;&amp", 900'000); }},
                    std::pair{"framesets", [] { return repeated("<frameset><frame>", 500'000); }}),
    [](const auto& parameter) { return parameter.param.first; });

TEST(Tree, GivesUpAtItsBudget) {
  const std::string page = guarded(repeated("<p>some text</p>", 10'000));
  EXPECT_TRUE(Tree::parse(page));
  const auto poor = Tree::parse(page, {.bytes = 1u << 20});
  ASSERT_FALSE(poor);
  EXPECT_EQ(poor.error().kind, web::Kind::internal);
  EXPECT_FALSE(Tree::parse(page, {.time = std::chrono::milliseconds(-1)}));
}

}  // namespace guard_test
}  // namespace summarizer
