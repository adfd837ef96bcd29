// Finding the article of a page, and rendering it.
#include "summarizer/article.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "summarizer/answers.h"
#include "summarizer/guard.h"
#include "summarizer/markdown.h"
#include "summarizer/page_urls.h"

namespace summarizer {
namespace article_test {

using testing::HasSubstr;
using testing::Not;

const std::string lamp =
    "The keeper of the lighthouse climbs the stairs at dusk, lights the lamp, and writes the hour into the book that "
    "lies beside it. At dawn he puts the lamp out, cleans the lenses, and goes down again to sleep.";
const std::string storm =
    "In the winter of that year a storm broke the western window, and for three nights the lamp was kept alight by two "
    "men who held a sail before the opening. The book says only that the wind was strong.";

std::string rendered(const std::string& html, Style style = Style::markdown, const std::string& title = "") {
  const auto tree = Tree::parse(guarded(html));
  const Article article(*tree, title);
  return render(article, urls_of(*tree, "https://example.com/dir/page"), style);
}
// The Markdown of a fragment in the middle of an article.
std::string markdown(const std::string& fragment) {
  const std::string whole = rendered("<article><p>" + lamp + "</p>" + fragment + "<p>" + storm + "</p></article>");
  const auto start = lamp.size() + 2, end = whole.size() - storm.size() - 2;
  EXPECT_TRUE(whole.starts_with(lamp) && whole.ends_with(storm)) << whole;
  return start < end ? whole.substr(start, end - start) : "";
}

TEST(Article, DropsBoilerplate) {
  const std::string page =
      "<header><a href=/>Site</a> <p>The oldest newspaper of the coast, since 1846.</p></header>"
      "<nav><ul><li><a href=a>News</a><li><a href=b>Sport</a></ul></nav>"
      "<div id=wrap><div class=main-column><h1>The lamp</h1><div class=byline>By Jo Doe</div><p>" +
      lamp + "</p><div class='ad-slot'>Buy a lamp today, it is cheap.</div><p>" + storm +
      "</p><ul class=share><li>Tweet</ul><h3>More stories</h3><ul><li><a href=c>One more</a><li><a href=d>Two more</a>"
      "<li><a href=e>Three more</a></ul></div><div class=sidebar><p>" +
      lamp.substr(0, 120) +
      "</p></div></div><div id=comments><p>A very good story, I liked it a lot, thank you.</p>"
      "</div><footer>All rights reserved, and so on and so forth.</footer>";
  EXPECT_EQ(rendered(page, Style::text, "The lamp - Site"), lamp + "\n\n" + storm);
}

TEST(Article, FindsTheTextInOldLayouts) {
  EXPECT_EQ(rendered("<table><tr><td width=100><a href=1>Home</a><br><a href=2>Contact</a><td><font size=2>" + lamp +
                     "<br><br>" + storm + "</font></table>"),
            lamp + "\n\n" + storm);
  EXPECT_EQ(rendered("<div><span><div>" + lamp + "</div></span></div><div>" + storm + "</div>"), lamp + "\n\n" + storm);
}

TEST(Article, IgnoresNamesOfTheWholeLayout) {
  EXPECT_EQ(rendered("<div class='page sidebar-left comments-open'><p>" + lamp + "</p><p>" + storm + "</p></div>"),
            lamp + "\n\n" + storm);
}

TEST(Article, TakesTheWholeBodyOfAPageWithoutProse) {
  EXPECT_EQ(rendered("<p>Closed.</p><p>Monday</p>", Style::text), "Closed.\n\nMonday");
  EXPECT_EQ(rendered(""), "");
  EXPECT_EQ(rendered("<nav>only this</nav>"), "");
}

TEST(Article, ReadsPagesWithinAForm) {
  EXPECT_EQ(rendered("<form><input value=x><nav><a href=a>Home</a></nav><div id=main><p>" + lamp + "</p><p>" + storm +
                     "</p></div></form>"),
            lamp + "\n\n" + storm);
  EXPECT_EQ(
      rendered("<div><p>" + lamp + "</p><p>" + storm + "</p><form>Ask for our letter, it comes every week.</form>"),
      lamp + "\n\n" + storm);
}

TEST(Article, ReadsAShortTextInABareDiv) {
  EXPECT_EQ(rendered("<div>The lamp is lit.</div>"), "The lamp is lit.");
  EXPECT_EQ(rendered("<ul><li><a href=1>News</a><li><a href=2>Sport</a><li><a href=3>Sea</a></ul><div>The lamp is lit."
                     "</div>"),
            "The lamp is lit.");
}

TEST(Article, LeavesOutLongComments) {
  std::string comments;
  for (int i = 0; i < 20; ++i) comments += "<div class=comment-body><p>" + storm + "</p></div>";
  EXPECT_EQ(rendered("<div><h1>The lamp</h1><p>" + lamp + "</p></div><div id=comments>" + comments + "</div>",
                     Style::text, "The lamp"),
            lamp);
}

TEST(Article, LeavesOutTeasers) {
  std::string teasers;
  for (int i = 0; i < 3; ++i)
    teasers += "<div class=item><h3><a href=/x>Another story</a></h3><p>" + storm + "</p></div>";
  EXPECT_EQ(rendered("<div><h1>The lamp</h1><div><p>" + lamp + "</p><p>" + lamp + "</p></div>" + teasers + "</div>",
                     Style::text, "The lamp"),
            lamp + "\n\n" + lamp);
}

TEST(Article, TakesTheLeadAboveTheText) {
  const std::string lead = "How two men kept the lamp of the lighthouse alight for three nights of that winter.";
  EXPECT_EQ(
      rendered("<div><p>Weather: the wind will be strong on Monday and on Tuesday.</p><div class=head><h1>The lamp"
               "</h1><p>" +
                   lead + "</p></div><div class=body><p>" + lamp + "</p><p>" + storm + "</p></div></div>",
               Style::text, "The lamp"),
      lead + "\n\n" + lamp + "\n\n" + storm);
}

TEST(Article, TakesEveryPartOfALongText) {
  std::string long_part;
  for (int i = 0; i < 5; ++i) long_part += "<p>" + lamp + "</p>";
  const auto page = "<div><div class=part><p>" + storm + "</p></div><div class=part>" + long_part + "</div></div>";
  EXPECT_THAT(rendered(page, Style::text), testing::StartsWith(storm + "\n\n" + lamp));
}

// Ids of sections are made of their headings.
TEST(Article, KeepsSectionsWhoseHeadingsSoundLikeFurniture) {
  EXPECT_EQ(rendered("<div><section id=comment><h2>Comment</h2><p>" + lamp +
                         "</p></section><section id=login><h2>Login</h2><p>" + storm + "</p></section></div>",
                     Style::text),
            "Comment\n\n" + lamp + "\n\nLogin\n\n" + storm);
}

std::string content_of(const std::string& html, Style style = Style::text) {
  return article_of({.url = "https://example.com/", .content_type = "text/html; charset=utf-8", .bytes = html}, style)
      ->content;
}

TEST(Article, IsReadFromOtherPlacesIfTheBodyHasNoProse) {
  const std::string shell =
      "<title>The lamp</title><div id=root></div><footer>All rights reserved by the coast.</footer>";
  EXPECT_EQ(content_of(shell + "<script type='application/ld+json'>{\"@type\":\"NewsArticle\",\"articleBody\":\"" +
                       lamp + "\\n" + storm + " 1 < 2\"}</script>"),
            lamp + "\n\n" + storm + " 1 < 2");
  EXPECT_EQ(content_of(shell + "<noscript><article><p>" + lamp + "</p><p>" + storm + "</p></article></noscript>"),
            lamp + "\n\n" + storm);
  EXPECT_EQ(content_of(shell + "<x-story><template shadowrootmode=open><p>" + lamp + "</p><p>" + storm +
                       "</p></template></x-story>"),
            lamp + "\n\n" + storm);
  // The text of the body wins.
  EXPECT_EQ(content_of("<p>" + lamp + "</p><p>" + storm + "</p><noscript><p>Please enable JavaScript.</p></noscript>"),
            lamp + "\n\n" + storm);
}

TEST(Article, WritesTheCaptionsOfAGalleryOnce) {
  const std::string caption = "The lighthouse of the western coast in the winter of the storm, seen from the sea.";
  EXPECT_EQ(markdown("<div>" + caption + "</div><div>Caption</div><div>" + caption + "</div>"), caption);
  EXPECT_EQ(markdown("<p>" + caption + "</p><p>" + caption + "</p>"), caption + "\n\n" + caption) << "a refrain";
}

TEST(Article, SaysThatThePageNeedsABrowser) {
  for (const char* page :
       {"<div id=root></div><footer>All rights reserved by the coast.</footer><script src=a></script>",
        "<noscript>You need to enable JavaScript to run this app.</noscript><script src=a></script>"
        "<footer>All rights reserved by the coast.</footer>"}) {
    const auto answer =
        article_of({.url = "https://example.com/", .content_type = "text/html", .bytes = page}, Style::markdown);
    EXPECT_EQ(answer->content, "") << page;
    EXPECT_THAT(answer->note.value_or(""), HasSubstr("browser")) << page;
  }
  const auto answer = article_of({.url = "https://example.com/",
                                  .content_type = "text/html",
                                  .bytes = "<p>" + lamp + "</p><script></script><div id=app></div>"},
                                 Style::text);
  EXPECT_EQ(answer->content, lamp);
  EXPECT_FALSE(answer->note);
}

TEST(Markdown, WritesHeadingsAndInlineMarkup) {
  EXPECT_EQ(markdown("<h2>The <em>lamp</em></h2><p>A <b>bold</b>, <i> soft </i>word<del>s</del> and <code>a ` b</code>"
                     " at <a href='../x?y=(1)'>this place</a>."),
            "## The *lamp*\n\nA **bold**, *soft* word~~s~~ and ``a ` b`` at "
            "[this place](<https://example.com/x?y=(1)>).");
  EXPECT_EQ(markdown("<p>one<br>two<br><br>three</p><hr><p><img data-src=/i.png alt='a [b]'></p>"),
            "one\\\ntwo\n\nthree\n\n---\n\n![a \\[b\\]](https://example.com/i.png)");
  EXPECT_EQ(markdown("<p><a href='javascript:x'>no</a> <a href=/y><b></b></a>link</p>"), "no link");
}

TEST(Markdown, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(markdown("<p>1. *a* [b] `c` &lt;d> snake_case _e_ \\ &amp;amp; x|y"),
            "1\\. \\*a\\* \\[b\\] \\`c\\` \\<d> snake_case \\_e\\_ \\\\ \\&amp; x\\|y");
  EXPECT_EQ(markdown("<p># x<p>- y<p>> z<p>3) w<p>2024 was good"),
            "\\# x\n\n\\- y\n\n\\> z\n\n3\\) w\n\n2024 was good");
}

TEST(Markdown, WritesListsQuotationsAndCode) {
  EXPECT_EQ(markdown("<ul><li>a<li>b<ol><li>c<li>d</ol><li><p>e</ul>"), "- a\n- b\n  1. c\n  2. d\n- e");
  EXPECT_EQ(markdown("<ol><li><p>a</p><p>b</p><li>c</ol>"), "1. a\n\n   b\n\n2. c");
  EXPECT_EQ(markdown("<blockquote><p>a</p><p>b</p></blockquote>"), "> a\n> \n> b");
  EXPECT_EQ(markdown("<pre><code class='x language-cpp'>\nint a;\n\n  b</code></pre>"), "```cpp\nint a;\n\n  b\n```");
  EXPECT_EQ(markdown("<pre>``` x</pre>"), "````\n``` x\n````");
  EXPECT_EQ(markdown("<dl><dt>lamp<dd>gives light</dl>"), "**lamp**\n\ngives light");
}

TEST(Markdown, WritesTablesOfDataAndUnfoldsLayouts) {
  EXPECT_EQ(markdown("<table><tr><th>Year<th>Keeper<tr><td>1901<td>A|B<tr><td>1902</table>"),
            "| Year | Keeper |\n| --- | --- |\n| 1901 | A\\|B |\n| 1902 |  |");
  EXPECT_EQ(markdown("<table><tr><td><p>" + lamp + "</p><p>" + storm + "</p><td>x</table>"),
            lamp + "\n\n" + storm + "\n\nx");
}

TEST(Markdown, WritesScriptsAndFormulas) {
  EXPECT_EQ(markdown("<p>10<sup>6</sup> H<sub>2</sub>O x<sup>n</sup></p>"), "10⁶ H₂O x^n");
  EXPECT_EQ(markdown("<p>So <math><mi>a</mi><annotation encoding='application/x-tex'>\\frac{a_1*b_*}{2}</annotation>"
                     "</math>.</p>"),
            "So $\\frac{a_1*b_*}{2}$.");
}

TEST(Markdown, KeepsParagraphsAndCellsWhole) {
  EXPECT_EQ(
      markdown("<p>a <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> b <object>x</object>c <meter>half</meter></p>"),
      "a 漢kan b c half");
  EXPECT_EQ(markdown("<table><tr><th>a<br>b<th>c<tr><td>d\\<br>e<td>f</table>"),
            "| a b | c |\n| --- | --- |\n| d\\\\ e | f |");
  EXPECT_EQ(markdown("<h2>One<br>two</h2><p>x</p>"), "## One two\n\nx");
}

TEST(Markdown, WritesNoLineNumbers) {
  const std::string code = "```\na = 1\nb = 2\n```";
  EXPECT_EQ(markdown("<table><tr><td><pre>1\n2\n</pre></td><td><pre>a = 1\nb = 2</pre></td></table>"), code);
  EXPECT_EQ(markdown("<table><tr><td class=gutter><div>1</div><div>2</div></td><td><pre>a = 1\nb = 2</pre></table>"),
            code);
  EXPECT_EQ(markdown("<pre><span class=lineno>1 </span>a = 1\n<span class=lineno>2 </span>b = 2</pre>"),
            "```\na = 1\nb = 2\n```");
  EXPECT_EQ(markdown("<table><tr><td class=blob-num data-line-number=1><td>a = 1<tr><td class=blob-num>2<td>b = "
                     "2</table>"),
            code);
  EXPECT_EQ(markdown("<pre>1\n2\n3</pre>"), "```\n1\n2\n3\n```") << "nothing beside it: what a program printed";
}

TEST(Markdown, StaysWithinItsBounds) {
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "<ul><li>" + std::to_string(i);
  EXPECT_LT(rendered(deep).size(), 20'000u);
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "<p>" + lamp;
  const auto tree = Tree::parse(guarded(many));
  const Article article(*tree, "");
  const auto cut = render(article, UrlResolver(""), Style::text, 10'000);
  EXPECT_GE(cut.size(), 10'000u);
  EXPECT_LT(cut.size(), 11'000u);
}

}  // namespace article_test
}  // namespace summarizer
