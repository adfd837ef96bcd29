#include "summarizer/metadata.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "summarizer/guard.h"
#include "summarizer/json_ld.h"

namespace summarizer {
namespace metadata_test {

Metadata metadata(const std::string& html, const std::string& url = "https://www.example.com/dir/page?x=1") {
  return metadata_of(*Tree::parse(guarded(html)), json_ld_of(html), url);
}
std::string json_ld(const std::string& html) { return boost::json::serialize(json_ld_of(html)); }

TEST(Metadata, ReadsMetaFirst) {
  const auto data = metadata(
      "<html lang=pt-BR><meta name=author content='By Jo  Doe'><meta property='article:published_time' "
      "content=2024-05-01T10:00Z><meta property='og:site_name' content='The Coast'>"
      "<link rel='shortlink canonical' href='/canonical'><span class=byline>Somebody else</span><time>1999</time>");
  EXPECT_EQ(data.byline, "Jo Doe");
  EXPECT_EQ(data.published, "2024-05-01T10:00Z");
  EXPECT_EQ(data.language, "pt-BR");
  EXPECT_EQ(data.site, "The Coast");
  EXPECT_EQ(data.canonical, "https://www.example.com/canonical");
}

TEST(Metadata, ThenJsonLd) {
  const auto data = metadata(R"(<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
      {"@type":"Organization","name":"Org","author":"nobody"},
      {"@type":["NewsArticle"],"author":[{"@type":"Person","name":"Ann"},{"name":"Ben"}],"datePublished":"2023-01-02",
       "inLanguage":"de","publisher":{"name":"Paper"}}]}</script>)");
  EXPECT_EQ(data.byline, "Ann");
  EXPECT_EQ(data.published, "2023-01-02");
  EXPECT_EQ(data.language, "de");
  EXPECT_EQ(data.site, "Paper");
}

TEST(Metadata, ThenTheMarkup) {
  const auto data = metadata("<p>By <a rel=author href=/x>Cy</a> on <time datetime=2022-02-03>3 Feb</time>");
  EXPECT_EQ(data.byline, "Cy");
  EXPECT_EQ(data.published, "2022-02-03");
  EXPECT_EQ(data.language, "");
  EXPECT_EQ(data.site, "example.com");
  EXPECT_EQ(data.canonical, "https://www.example.com/dir/page?x=1");
  EXPECT_EQ(metadata("<meta name=author content='https://example.com/me'>").byline, "");
}

TEST(JsonLd, IsReadWhereverItStands) {
  EXPECT_EQ(json_ld("<p>x<script type='Application/LD+JSON; charset=utf-8'> <!-- {\"a\":1} --> </script>"
                    "<script type=application/ld+json>//<![CDATA[\n[2]\n//]]></script>"),
            R"([{"a":1},[2]])");
  EXPECT_EQ(json_ld("<script>'application/ld+json'</script><!-- <script type=application/ld+json>{}</script> -->"
                    "<script type=application/ld+json>{broken</script><script type=application/ld+json>3</script>"
                    "<script type=application/ld+json>{\"b\":\"<p>\"}</script>"),
            R"([{"b":"<p>"}])");
}

TEST(JsonLd, IsBounded) {
  std::string many, deep = "<script type=application/ld+json>";
  for (int i = 0; i < 30; ++i) many += "<script type=application/ld+json>{}</script>";
  EXPECT_EQ(json_ld_of(many).size(), 16u);
  deep += std::string(1'000, '[') + std::string(1'000, ']') + "</script>";
  EXPECT_EQ(json_ld(deep), "[]");
  EXPECT_EQ(json_ld("<script type=application/ld+json>[\"" + std::string(70'000, 'x') + "\"]</script>"), "[]");
}

}  // namespace metadata_test
}  // namespace summarizer
