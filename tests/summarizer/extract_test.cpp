#include "summarizer/extract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "summarizer/guard.h"
#include "summarizer/outline.h"

namespace summarizer {

bool operator==(const Link& a, const Link& b) { return a.href == b.href && a.text == b.text; }
bool operator==(const Image& a, const Image& b) { return a.src == b.src && a.alt == b.alt; }
bool operator==(const Summary& a, const Summary& b) {
  return a.title == b.title && a.description == b.description && a.headings == b.headings &&
         a.paragraphs == b.paragraphs && a.word_count == b.word_count;
}
void PrintTo(const Summary& summary, std::ostream* out) {
  *out << summary.title << " | " << summary.description << " | " << testing::PrintToString(summary.headings) << " | "
       << testing::PrintToString(summary.paragraphs) << " | " << summary.word_count;
}
void PrintTo(const Link& link, std::ostream* out) { *out << link.href << " (" << link.text << ")"; }
void PrintTo(const Image& image, std::ostream* out) { *out << image.src << " (" << image.alt << ")"; }

namespace extract_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Checks that tree and outline give the same summary.
Summary summary_of(std::string_view html) {
  auto summary = summarize(*Tree::parse(guarded(html)));
  EXPECT_EQ(outline_of(html), summary) << html;
  return summary;
}
References references_of(std::string_view html, std::string_view url = "https://example.com/dir/page") {
  return extract(*Tree::parse(guarded(html)), url);
}

TEST(Summarize, TakesTheTitleOrTheFirstHeading) {
  EXPECT_EQ(summary_of("<title> A &amp; B\n C </title><h1>Other</h1>").title, "A & B C");
  EXPECT_EQ(summary_of("<title>  </title><h2>No</h2><h1>The <em>first</em></h1><h1>Second</h1>").title, "The first");
  EXPECT_EQ(summary_of("<svg><title>icon</title></svg><p>x</p>").title, "");
}

TEST(Summarize, TakesTheDescriptionOrTheSocialOne) {
  EXPECT_EQ(
      summary_of("<meta property=og:description content=social><meta NAME=Description content=' a\n b '>").description,
      "a b");
  EXPECT_EQ(summary_of("<meta name=description content=''><meta property=og:description content=social>").description,
            "social");
  EXPECT_EQ(summary_of("<meta name=twitter:description content=tweet>").description, "tweet");
  EXPECT_EQ(summary_of("<p>x").description, "");
}

TEST(Summarize, ListsHeadingsOfThreeLevelsOnce) {
  EXPECT_THAT(
      summary_of("<h1>One</h1><h2> Two<br>lines </h2><h3>Three</h3><h4>Four</h4><h2>One</h2><h2></h2>").headings,
      ElementsAre("One", "Two lines", "Three"));
  std::string many;
  for (int i = 0; i < 30; ++i) many += "<h2>" + std::to_string(i) + "</h2>";
  EXPECT_THAT(summary_of(many).headings, SizeIs(20));
}

TEST(Summarize, ListsParagraphsOnce) {
  EXPECT_THAT(summary_of("<p>One<p>Two &nbsp; <b>b</b>old<p>One<p> <p><span>Three</span></p>").paragraphs,
              ElementsAre("One", "Two bold", "Three"));
  std::string many;
  for (int i = 0; i < 30; ++i) many += "<p>" + std::to_string(i) + "</p>";
  EXPECT_THAT(summary_of(many).paragraphs, SizeIs(10));
}

TEST(Summarize, CountsTheWordsOfTheBody) {
  EXPECT_EQ(
      summary_of("<title>not these</title><body>one two<p>three</p>four<br>five si<b>x</b>\xC2\xA0seven").word_count,
      7);
  EXPECT_EQ(summary_of("<script>a b c</script><style>d e</style><noscript>f g</noscript>h").word_count, 1);
  EXPECT_EQ(summary_of("").word_count, 0);
}

TEST(Summarize, SkipsHiddenContent) {
  const auto summary = summary_of(
      "<p hidden>a</p><p style='color:red; DISPLAY : none'>b</p><div style='visibility:hidden'><h1>c</h1><p>d</p></div>"
      "<noscript><p>e</p></noscript><template><p>f</p></template><textarea>g</textarea>"
      "<p style='display:block'>seen</p>");
  EXPECT_THAT(summary.paragraphs, ElementsAre("seen"));
  EXPECT_THAT(summary.headings, IsEmpty());
  EXPECT_EQ(summary.word_count, 1);
}

TEST(Summarize, SkipsClosedDialogs) {
  const auto summary =
      summary_of("<DIALOG><p>closed</p></DIALOG><dialog open><p>open</p></dialog>a<dialog open>b</dialog>c");
  EXPECT_THAT(summary.paragraphs, ElementsAre("open"));
  EXPECT_EQ(summary.word_count, 4);
}

TEST(Summarize, ReadsRubyWithoutItsParentheses) {
  const auto summary = summary_of("<p><ruby>\u6f22<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>");
  EXPECT_THAT(summary.paragraphs, SizeIs(1));
  EXPECT_EQ(summary.paragraphs.at(0).find('('), std::string::npos);
  EXPECT_THAT(summary.paragraphs.at(0), testing::HasSubstr("kan"));
}

// What a reader of the paragraph sees, from the tree and from the outline.
std::string paragraph(const std::string& html) {
  const auto summary = summary_of("<p>" + html + "</p>");
  return summary.paragraphs.size() == 1 ? summary.paragraphs[0] : testing::PrintToString(summary.paragraphs);
}

TEST(Summarize, KeepsTheMeaningOfScripts) {
  EXPECT_EQ(paragraph("10<sup>6</sup> and 10<SUP>&minus;3</SUP>"), "10⁶ and 10⁻³");
  EXPECT_EQ(paragraph("100<sup>2</sup>=10000, H<sub>2</sub>O"), "100²=10000, H₂O");
  EXPECT_EQ(paragraph("x<sup><i>n</i>+1</sup>, T<sub>max</sub>, e<sup>-x</sup>"), "x^(n+1), T_max, e^-x");
  EXPECT_EQ(paragraph("the 1<sup>st</sup>, 2<sup>nd</sup> and XXI<sup>e</sup>, Lamp<sup>TM</sup>"),
            "the 1st, 2nd and XXIe, LampTM");
  EXPECT_EQ(paragraph("a fact<sup><a href='#n'>[3]</a></sup> more<sup>*</sup> <sup>see there</sup>"),
            "a fact[3] more* see there");
  EXPECT_EQ(paragraph("a note<sup><a href='#n'>12</a></sup>"), "a note¹²");
  EXPECT_EQ(paragraph("2<sup>2<sup>n</sup></sup>"), "2^2^n");
  EXPECT_EQ(paragraph("left open 2<sup>5"), "left open 25");
}

TEST(Summarize, ReadsFormulas) {
  EXPECT_EQ(paragraph("so <math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>."),
            "so (a+b)/2.");
  EXPECT_EQ(paragraph("<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><msub><mi>y</mi><mi>i</mi></msub></math>"),
            "x^2=y_i");
  EXPECT_EQ(paragraph("<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
                      "<mi>i</mi></math>"),
            "∑_(i=1)^n i");
  EXPECT_EQ(paragraph("<math><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><msqrt><mn>2</mn></msqrt></math>"), "sin x√2");
  EXPECT_EQ(paragraph("is <math><semantics><mrow><mi>E</mi></mrow><annotation encoding='application/x-tex'>"
                      "{\\displaystyle E=mc^{2}}</annotation></semantics></math>."),
            "is $E=mc^{2}$.");
  // Once, although the page has it twice or more.
  EXPECT_EQ(
      paragraph("<span><span style='display: none;'><math><mi>E</mi><annotation encoding=TeX>E</annotation></math>"
                "</span><img class='mwe-math-fallback-image-inline' alt='{\\displaystyle E}'></span>"),
      "$E$");
  EXPECT_EQ(paragraph("<span class=katex><span class=katex-mathml><math><mi>E</mi><annotation "
                      "encoding='application/x-tex'>E</annotation></math></span><span class='katex-html' "
                      "aria-hidden=true><span>E</span></span></span> holds"),
            "$E$ holds");
  EXPECT_EQ(paragraph("<script type='math/tex'>a & b</script>"), "$a & b$");
  EXPECT_EQ(paragraph("<tex>$a$</tex> b"), "$a$ b");
}

TEST(Summarize, KeepsParagraphsWhole) {
  EXPECT_EQ(paragraph("an<acronym>A</acronym>b<output>c</output><meter>d</meter><map name=m>e</map>"
                      "<audio>no audio</audio><video>no video</video>f"),
            "anAbcdef");
  EXPECT_EQ(paragraph("Donau&shy;dampf\u00adschiff"), "Donaudampfschiff");
  EXPECT_EQ(summary_of("<p>Donau&shy;dampf</p>").word_count, 1);
}

TEST(Summarize, ReadsDeclarativeShadowRoots) {
  EXPECT_EQ(summary_of("<x-a><template shadowrootmode=open><p>in the root</p></template></x-a>").paragraphs,
            (std::vector<std::string>{"in the root"}));
  EXPECT_THAT(summary_of("<template><p>not shown</p></template>").paragraphs, IsEmpty());
}

TEST(Summarize, AnswersAnEmptyPageWithEmptyFields) {
  for (const char* page : {"", " ", "<html></html>", "<!-- only -->"}) {
    const auto summary = summary_of(page);
    EXPECT_EQ(summary.title, "");
    EXPECT_THAT(summary.headings, IsEmpty());
    EXPECT_EQ(summary.word_count, 0);
  }
}

TEST(Outline, DecodesReferencesAsGumboDoes) {
  for (const auto* text : {"&lt;&gt;&amp;&quot;&nbsp;x", "&eacute;&Eacute &ampx &notit; &notin;",
                           "&#65;&#x42;&#128;&#0;&#xD800;&#1114112;", "&#9999999999999999999;z",
                           "&#;&#x;&;& &nosuch; &", "&#65 &#x41g", "&CounterClockwiseContourIntegral;"}) {
    summary_of("<title>" + std::string(text) + "</title><p>" + text + "<h1>" + text);
    summary_of("<meta name=description content=\"a " + std::string(text) + " &amp=1 &ltx\">");
  }
}

TEST(Outline, ReadsNestedAndBrokenMarkupAsTheTreeDoes) {
  for (const auto* html :
       {"<p>a<button><p>b</p></button>c<p>a b c", "<h1><table><tr><td><h2>in</h2>x</table>out</h1>",
        "<body hidden><p>x</p></body>", "<p hidden>a<p>b", "<p style='display:none'>a<b>b</b></p>c",
        "<title></title><title>second</title>", "<select><option>a</select>b", "a<br>b<hr>c<img alt=x>d",
        "<dialog>a</dialog><dialog open>b</dialog>c", "<h1></h1><h1> </h1><h1>third</h1>", "a\0b c",
        "<textarea><p>x</textarea><p>y", "<noscript><p>x</p></noscript>z", "<li>a<li>b<td>c", "a</br>b"}) {
    summary_of(html);
  }
}

TEST(Extract, ListsLinksOnceAndAbsolute) {
  const auto found = references_of(
      "<a href=/one>One</a><a href='two?x=1&amp;y=2'>T<b>w</b>o</a><a href=https://EXAMPLE.com/one>again</a>"
      "<a href=//other.example/>Other</a><a name=x>no href</a><a href=#top>top</a><a href=mailto:a@b.c>mail</a>"
      "<a href='javascript:void(0)'>js</a><a href='data:text/plain,x'>data</a><a href='http://['>broken</a>");
  EXPECT_THAT(found.links,
              ElementsAre(Link{"https://example.com/one", "One"}, Link{"https://example.com/dir/two?x=1&y=2", "Two"},
                          Link{"https://other.example/", "Other"}));
}

TEST(Extract, UsesTheTextOfALinkThatFirstSurroundedAPicture) {
  EXPECT_THAT(references_of("<a href=/x><img src=i.png></a><a href=/x>Words</a><a href=/x>More</a>").links,
              ElementsAre(Link{"https://example.com/x", "Words"}));
}

TEST(Extract, FollowsTheFirstBase) {
  const auto found =
      references_of("<base target=_top><base href=/root/><base href=/no/><a href=x>X</a><img src=i.png alt=I>");
  EXPECT_THAT(found.links, ElementsAre(Link{"https://example.com/root/x", "X"}));
  EXPECT_THAT(found.images, ElementsAre(Image{"https://example.com/root/i.png", "I"}));
}

TEST(Extract, CutsAtTheCaps) {
  std::string page;
  for (int i = 0; i < 80; ++i) {
    page += "<a href=/l" + std::to_string(i) + ">x</a><img src=/i" + std::to_string(i) + ">";
  }
  const auto found = references_of(page);
  EXPECT_THAT(found.links, SizeIs(50));
  EXPECT_THAT(found.images, SizeIs(20));

  std::string long_text;
  for (int i = 0; i < 150; ++i) long_text += "\u00e9";
  std::string cut = long_text.substr(0, 200);  // 100 characters of two bytes
  const auto texts = references_of("<a href=/x>" + long_text + "</a><img src=/y alt='" + long_text + "'>");
  EXPECT_EQ(texts.links.at(0).text, cut);
  EXPECT_EQ(texts.images.at(0).alt, cut);
}

TEST(Extract, FindsLazyImages) {
  const auto found = references_of(
      "<img src='data:image/gif;base64,R0' data-src=/lazy.png alt=Lazy><img srcset='/a.png 1x, /b.png 2x'>"
      "<img data-srcset=' ,/c.png, /d.png 2x'><img src=/e.png><img src=/e.png alt=again><img alt=none>"
      "<noscript><img src=/f.png></noscript>");
  EXPECT_THAT(found.images,
              ElementsAre(Image{"https://example.com/lazy.png", "Lazy"}, Image{"https://example.com/a.png", ""},
                          Image{"https://example.com/c.png", ""}, Image{"https://example.com/e.png", ""},
                          Image{"https://example.com/f.png", ""}));
}

TEST(Extract, FindsPicturesThatOnlyTheirSourcesName) {
  const auto found = references_of(
      "<picture><source media='(min-width: 9px)' srcset='/wide.webp 2x, /w.webp'><source srcset=/n.webp><img "
      "alt=P></picture>"
      "<picture><source srcset=/other.webp><img src=/own.png></picture>"
      "<picture><source src=/not-a-set.webp><img src='data:image/gif;base64,R0' srcset='' alt=none></picture>"
      "<video><source srcset=/film.webp><img alt=fallback></video>");
  EXPECT_THAT(found.images,
              ElementsAre(Image{"https://example.com/wide.webp", "P"}, Image{"https://example.com/own.png", ""}));
}

TEST(Extract, CollectsSocialCardsAndTheDescription) {
  const auto found = references_of(
      "<meta property='OG:Title' content='T'><meta property=og:title content=second><meta name=twitter:card content=c>"
      "<meta name=description content=D><meta name=keywords content=k><meta property=og:image content=''>");
  EXPECT_EQ(boost::json::serialize(found.meta), R"({"og:title":"T","twitter:card":"c","description":"D"})");
}

}  // namespace extract_test
}  // namespace summarizer
