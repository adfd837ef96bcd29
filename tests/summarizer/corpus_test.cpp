// The quality of article extraction: F1 over words (corpus/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "summarizer/answers.h"
#include "summarizer/charset.h"
#include "summarizer/outline.h"
#include "tests/support/paths.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {
namespace corpus_test {

std::string read(const std::filesystem::path& path) {
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

// Letters and digits in runs, in lower case as far as ASCII goes; an ideograph is a word.
std::map<std::string, int> words_of(std::string_view text) {
  std::map<std::string, int> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) ++words[std::exchange(word, {})];
  };
  while (!text.empty()) {
    const auto point = web::decode_utf8(text);
    const auto character = text.substr(0, std::max<std::size_t>(point.length, 1));
    text.remove_prefix(character.size());
    const bool ideograph = point.value >= 0x2e80;
    const bool punctuation =
        (point.value >= 0x2000 && point.value < 0x2070) || (point.value >= 0x3000 && point.value < 0x3040);
    const bool ascii_letter = point.value < 0x80 && std::isalnum(static_cast<unsigned char>(character[0]));
    if (ideograph || !(ascii_letter || point.value >= 0xc0) || punctuation) end_word();
    if (punctuation || (point.value < 0xc0 && !ascii_letter)) continue;
    word += ascii_letter ? std::string(1, web::to_lower(character[0])) : std::string(character);
    if (ideograph) end_word();
  }
  end_word();
  return words;
}

int count(const std::map<std::string, int>& words) {
  int sum = 0;
  for (const auto& [word, times] : words) sum += times;
  return sum;
}

double f1(std::string_view expected, std::string_view found) {
  const auto reference = words_of(expected), given = words_of(found);
  int hits = 0;
  for (const auto& [word, times] : given) {
    if (const auto known = reference.find(word); known != reference.end()) hits += std::min(times, known->second);
  }
  const int all = count(reference) + count(given);
  return all == 0 ? 1 : 2.0 * hits / all;
}

struct Bounds {
  int pages;
  double each, mean;
};

void expect_articles(const std::filesystem::path& folder, const Bounds& least) {
  double sum = 0;
  int pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".html") continue;
    std::string name = entry.path().stem().string();
    // In the name of an encoding's page: NAME.ENCODING.html.
    if (!std::filesystem::exists(folder / (name + ".txt"))) name.resize(name.find('.'));
    const auto expected = read(folder / (name + ".txt"));
    ASSERT_FALSE(expected.empty()) << name;
    const auto answer = article_of(
        {.url = "https://example.org/" + name, .content_type = "text/html", .bytes = read(entry.path())}, Style::text);
    ASSERT_TRUE(answer) << name;
    const double score = f1(expected, answer->content);
    EXPECT_GE(score, least.each) << name << "\n" << answer->content;
    sum += score;
    ++pages;
  }
  EXPECT_GE(pages, least.pages);
  EXPECT_GE(sum / pages, least.mean);
}

TEST(Corpus, ArticlesAreFoundAndLittleElse) {
  expect_articles(paths::tests() / "summarizer/corpus", {.pages = 40, .each = 0.9, .mean = 0.98});
}

TEST(Corpus, DocumentationIsFoundWhole) {
  expect_articles(paths::tests() / "summarizer/documentation", {.pages = 18, .each = 0.9, .mean = 0.98});
}

TEST(Corpus, TheOutlineEqualsTheTreesSummary) {
  for (const auto& entry : std::filesystem::directory_iterator(paths::tests() / "summarizer/corpus")) {
    if (entry.path().extension() != ".html") continue;
    const auto bytes = read(entry.path());
    const auto html = to_utf8(bytes, find_charset(bytes, "text/html"));
    const auto outline = outline_of(html), summary = summarize(*Tree::parse(guarded(html)));
    EXPECT_EQ(outline.title, summary.title) << entry.path();
    EXPECT_EQ(outline.description, summary.description) << entry.path();
    EXPECT_EQ(outline.headings, summary.headings) << entry.path();
    EXPECT_EQ(outline.paragraphs, summary.paragraphs) << entry.path();
    EXPECT_EQ(outline.word_count, summary.word_count) << entry.path();
  }
}

}  // namespace corpus_test
}  // namespace summarizer
