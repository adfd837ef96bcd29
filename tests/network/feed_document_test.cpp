// Reading RSS and Atom, from friendly and hostile sources.
#include "appliance/network/data_feeds/feed_document.h"

#include <gmock/gmock.h>

#include <random>

#include "appliance/network/data_feeds/feed_date.h"
#include "web/routes/reply.h"

namespace feed_document_test {

using data_feeds::read_feed_document;
using testing::HasSubstr;
using testing::SizeIs;

std::string date(std::string_view text) {
  const auto time = data_feeds::parse_feed_date(text);
  return time ? web::iso8601(*time) : "none";
}

TEST(FeedDate, ReadsTheFormsOfRssAndAtom) {
  EXPECT_EQ(date("Tue, 10 Jun 2003 04:00:00 GMT"), "2003-06-10T04:00:00.000Z");
  EXPECT_EQ(date("10 Jun 03 04:00 EST"), "2003-06-10T09:00:00.000Z");
  EXPECT_EQ(date("Wed, 02 Oct 2002 15:00:00 +0200"), "2002-10-02T13:00:00.000Z");
  EXPECT_EQ(date("Wed, 02 Oct 2002 15:00:00 -0130"), "2002-10-02T16:30:00.000Z");
  EXPECT_EQ(date("Sat, 07 Sep 68 00:00:01 GMT"), "1968-09-07T00:00:01.000Z");
  EXPECT_EQ(date("2003-12-13T18:30:02+01:00"), "2003-12-13T17:30:02.000Z");
  for (const auto* wrong : {"", "yesterday", "Tue, 31 Feb 2003 04:00:00 GMT", "10 Jun 2003 25:00:00 GMT",
                            "10 Jun 2003 04:00:00 XYZ", "10 Jun 2003 04:00:00", "10 June 2003 04:00:00 GMT",
                            "-1 Jun 2003 04:00:00 GMT", "10 Jun 003 04:00:00 GMT", "10 Jun 2003 4:00:00:00 GMT"})
    EXPECT_EQ(date(wrong), "none") << wrong;
}

TEST(FeedDocument, ReadsAtom) {
  const auto feed = read_feed_document(R"(<feed xmlns="http://www.w3.org/2005/Atom">
    <title>Notes</title><subtitle>of a box</subtitle>
    <link rel="self" href="https://a.example/feed"/><link href="https://a.example/"/>
    <author><name>Ada</name></author>
    <entry><id>urn:1</id><title type="html">One &lt;b&gt;</title><updated>2025-01-02T00:00:00Z</updated>
      <published>2025-01-01T00:00:00Z</published><link rel="alternate" href="https://a.example/1"/>
      <link rel="enclosure" href="https://a.example/1.mp3"/><content type="html">long</content>
      <summary>short</summary></entry>
  </feed>)")
                        .value();
  EXPECT_EQ(feed.title, "Notes");
  EXPECT_EQ(feed.description, "of a box");
  EXPECT_EQ(feed.link, "https://a.example/");
  ASSERT_THAT(feed.items, SizeIs(1));
  const auto& item = feed.items[0];
  EXPECT_EQ(item.id, "urn:1");
  EXPECT_EQ(item.title, "One <b>");
  EXPECT_EQ(item.link, "https://a.example/1");
  EXPECT_EQ(item.summary, "short");
  EXPECT_EQ(web::iso8601(item.published.value()), "2025-01-01T00:00:00.000Z");
}

TEST(FeedDocument, ReadsRss1) {
  const auto feed = read_feed_document(
                        R"(<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:content="http://purl.org/rss/1.0/modules/content/">
    <channel><title>Old</title><link>http://o.example/</link><description>news</description></channel>
    <item><title>A</title><link>http://o.example/a</link><content:encoded>whole</content:encoded>
      <dc:date>2001-02-03T04:05:06Z</dc:date><dc:title>not this</dc:title></item>
  </rdf:RDF>)")
                        .value();
  EXPECT_EQ(feed.title, "Old");
  ASSERT_THAT(feed.items, SizeIs(1));
  EXPECT_EQ(feed.items[0].title, "A");
  EXPECT_EQ(feed.items[0].summary, "whole");
  EXPECT_EQ(web::iso8601(feed.items[0].published.value()), "2001-02-03T04:05:06.000Z");
}

std::string rss(const std::string& item) {
  return "<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel><title>t</title><item>" + item +
         "</item></channel></rss>";
}
data_feeds::Item only_item(const std::string& feed, std::string_view content_type = "") {
  const auto read = read_feed_document(feed, "https://f.example/dir/feed.xml", content_type);
  EXPECT_TRUE(read) << feed << (read ? "" : read.error().message);
  if (!read) return {};
  EXPECT_THAT(read->items, SizeIs(1)) << feed;
  return read->items.empty() ? data_feeds::Item() : read->items[0];
}

TEST(FeedDocument, KeepsWhatIsNotWellFormed) {
  EXPECT_EQ(only_item(rss("<title>Fish & chips&nbsp;&mdash; caf&eacute;</title>")).title, "Fish & chips\u00a0— café");
  EXPECT_EQ(only_item(rss("<title>a\x01\x08"
                          "b</title>"))
                .title,
            "ab");
  EXPECT_EQ(only_item("\n \n<?xml version='1.0'?>" + rss("<title>late</title>")).title, "late");
  EXPECT_EQ(only_item(rss("<title>over</title>") + "<script>x()</script></body>&").title, "over");
  EXPECT_EQ(only_item("<rss><channel><item><title>cut</title><link>https://a.example/1").title, "cut");
  EXPECT_EQ(only_item(rss("<description>a <b>bold</b><br>line <title>x</description><title>never closed")).title,
            "never closed");
  EXPECT_EQ(only_item(rss("<link>https://a.example/?a=1&copy=2&amp;b</link>")).link, "https://a.example/?a=1&copy=2&b");
  const auto two = read_feed_document("<rss><channel><item><title>one<item><title>two</title></item></channel></rss>");
  ASSERT_THAT(two->items, SizeIs(2));
  EXPECT_EQ(two->items[1].title, "two");
}

TEST(FeedDocument, ReadsEncodings) {
  EXPECT_EQ(only_item("<?xml version='1.0' encoding='windows-1252'?>" + rss("<title>caf\xe9 \x80</title>")).title,
            "café €");
  EXPECT_EQ(only_item(rss("<title>\xcf\xf0\xe8\xe2\xe5\xf2</title>"), "text/xml; charset=windows-1251").title,
            "Привет");
  EXPECT_EQ(only_item(rss("<title>na\xc3\xafve \xc3\xa9 \xff bad</title>")).title, "naïve é \xEF\xBF\xBD bad");
}

TEST(FeedDocument, ReadsXhtmlAndRelativeLinks) {
  const auto item =
      only_item(R"(<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.example/x/"><title>f</title>
    <entry xml:base="posts/"><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">An <em>old</em> lamp</div></title>
    <link href="1.html"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>See <a href="https://c.example/">it</a></p></div>
    </content></entry></feed>)");
  EXPECT_EQ(item.title, "An old lamp");
  EXPECT_EQ(item.link, "https://b.example/x/posts/1.html");
  EXPECT_EQ(item.summary, R"(<p>See <a href="https://c.example/">it</a></p>)");
  EXPECT_EQ(only_item(rss("<link>../2</link>")).link, "https://f.example/2");
}

TEST(FeedDocument, FindsTheLinkOfAnItem) {
  EXPECT_EQ(
      only_item(rss("<atom:link rel='self' href='https://a.example/feed'/><link>https://a.example/1</link>")).link,
      "https://a.example/1");
  EXPECT_EQ(only_item(rss("<guid>https://a.example/1</guid>")).link, "https://a.example/1");
  EXPECT_EQ(only_item(rss("<guid isPermaLink='false'>https://a.example/1</guid>")).link, "");
  const auto feed = read_feed_document(
      "<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel><atom:link rel='self' "
      "href='https://a.example/feed'/><link>https://a.example/</link></channel></rss>");
  EXPECT_EQ(feed->link, "https://a.example/");
}

TEST(FeedDocument, ReadsMediaOfVideos) {
  const auto item = only_item(R"(<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015"
    xmlns:media="http://search.yahoo.com/mrss/" xmlns="http://www.w3.org/2005/Atom"><title>c</title><entry><id>yt:video:1</id>
    <yt:videoId>1</yt:videoId><title>A lamp</title><link rel="alternate" href="https://v.example/watch?v=1"/><media:group>
    <media:title>Other</media:title><media:content url="https://v.example/1.mp4"/><media:description>How it
    works</media:description></media:group></entry></feed>)");
  EXPECT_EQ(item.title, "A lamp");
  EXPECT_EQ(item.link, "https://v.example/watch?v=1");
  EXPECT_EQ(item.summary.substr(0, 6), "How it");
}

TEST(FeedDocument, ReadsJsonFeed) {
  const auto item =
      only_item(R"({"version":"https://jsonfeed.org/version/1.1","title":"J","home_page_url":"https://j.example/",
    "items":[{"id":"1","url":"/1","title":"One","content_text":"text","date_published":"2025-01-02T03:04:05Z"}]})");
  EXPECT_EQ(item.id, "1");
  EXPECT_EQ(item.link, "https://f.example/1");
  EXPECT_EQ(item.summary, "text");
  EXPECT_TRUE(item.published);
  EXPECT_FALSE(read_feed_document(R"({"items":[]})"));
}

TEST(FeedDocument, IsBounded) {
  std::string text = "<rss><channel><title>many</title>";
  for (int n = 0; n < 300; ++n) text += "<item><title>" + std::string(10'000, 'x') + "</title></item>";
  const auto feed = read_feed_document(text + "</channel></rss>").value();
  EXPECT_THAT(feed.items, SizeIs(data_feeds::max_items));
  EXPECT_THAT(feed.items[0].title, SizeIs(data_feeds::max_text_bytes));
  // Never in the middle of a character.
  const auto cut = read_feed_document("<rss><channel><title>x" + std::string(5'000, ' ') + "</title></channel></rss>");
  EXPECT_EQ(cut->title, "x");
  std::string umlauts = "<rss><channel><title>x";
  for (int n = 0; n < 3'000; ++n) umlauts += "\xc3\xbc";
  EXPECT_THAT(read_feed_document(umlauts + "</title></channel></rss>")->title, SizeIs(4'095));
}

std::string refusal(const std::string& text) {
  const auto read = read_feed_document(text);
  return read ? "read" : read.error().message;
}

TEST(FeedDocument, RefusesWhatIsNoFeed) {
  EXPECT_THAT(refusal(""), HasSubstr("not well-formed"));
  EXPECT_THAT(refusal("<rss><channel>"), HasSubstr("not well-formed"));
  EXPECT_THAT(refusal("<html></html>"), HasSubstr("neither RSS nor Atom"));
  EXPECT_THAT(refusal("<feed></feed>"), HasSubstr("neither RSS nor Atom")) << "without Atom's namespace";
  EXPECT_THAT(refusal(R"(<!DOCTYPE rss [<!ENTITY a "b">]><rss/>)"), HasSubstr("entities"));
  EXPECT_THAT(refusal(R"(<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss>&a;</rss>)"),
              HasSubstr("entities"));
  EXPECT_THAT(refusal(R"(<!DOCTYPE rss [<!ENTITY % a SYSTEM "http://x.example/">%a;]><rss/>)"), HasSubstr("entities"));
  std::string deep = "<rss>";
  for (int n = 0; n < 100; ++n) deep += "<a>";
  EXPECT_THAT(refusal(deep), HasSubstr("deeply"));
}

// A document type alone is harmless: nothing is loaded for it.
TEST(FeedDocument, LoadsNoDocumentType) {
  const auto feed =
      read_feed_document(R"(<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://x.example/rss-0.91.dtd">
    <rss version="0.91"><channel><title>Old&nbsp;news</title></channel></rss>)");
  ASSERT_TRUE(feed);
  EXPECT_THAT(feed->title, HasSubstr("Old"));
}

TEST(FeedDocument, AnswersWhateverBytesItGets) {
  const std::string whole =
      R"(<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><item><guid>1</guid></item></channel></rss>)";
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    auto text = whole;
    for (int edits = 0; edits < 3; ++edits) text[random() % text.size()] = static_cast<char>(random() % 256);
    text.resize(random() % (text.size() + 1));
    const auto read = read_feed_document(text);
    EXPECT_TRUE(read || read.error().kind == web::Kind::bad_gateway);
  }
}

}  // namespace feed_document_test
