#include "summarizer/sentences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "summarizer/text.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {

namespace {

constexpr std::size_t text_bytes = 128 * 1024, sentence_count = 2'000;
// How much a sentence gains for each word it shares with the query, in multiples of the best possible word score.
constexpr double query_weight = 2.0;

constexpr auto common_words = std::to_array<std::string_view>(
    {"a",    "about", "after", "all",   "also",  "an",    "and",  "any",   "are",   "as",     "at",    "be",
     "been", "but",   "by",    "can",   "could", "did",   "do",   "does",  "for",   "from",   "get",   "had",
     "has",  "have",  "he",    "her",   "him",   "his",   "how",  "i",     "if",    "in",     "into",  "is",
     "it",   "its",   "just",  "like",  "may",   "me",    "more", "most",  "my",    "no",     "not",   "now",
     "of",   "on",    "one",   "only",  "or",    "other", "our",  "out",   "over",  "please", "she",   "should",
     "so",   "some",  "such",  "tell",  "than",  "that",  "the",  "their", "them",  "then",   "there", "these",
     "they", "this",  "those", "to",    "too",   "up",    "us",   "use",   "very",  "was",    "we",    "were",
     "what", "when",  "where", "which", "who",   "why",   "will", "with",  "would", "you",    "your",  "yours"});
static_assert(std::ranges::is_sorted(common_words));

bool is_common(std::string_view word) { return std::binary_search(common_words.begin(), common_words.end(), word); }

bool is_word_byte(unsigned char c) { return std::isalnum(c) || c >= 0x80; }

// The words that count: lower case, longer than one byte, not common.
std::vector<std::string> relevant_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_byte(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    auto end = i;
    while (end < text.size() && is_word_byte(static_cast<unsigned char>(text[end]))) ++end;
    auto word = web::lower_case(text.substr(i, end - i));
    if (word.size() > 1 && !is_common(word)) words.push_back(std::move(word));
    i = end;
  }
  return words;
}

// U+3002, U+FF01 and U+FF1F, which no white space follows.
bool ends_ideographic(std::string_view character) {
  return character == "\xE3\x80\x82" || character == "\xEF\xBC\x81" || character == "\xEF\xBC\x9F";
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> sentences;
  std::size_t start = 0;
  const auto take = [&](std::size_t end) {
    const auto sentence = trimmed(text.substr(start, end - start));
    if (!sentence.empty()) sentences.push_back(sentence);
    start = end;
  };
  for (std::size_t i = 0; i < text.size() && sentences.size() < sentence_count; ++i) {
    const bool ends_here = text[i] == '.' || text[i] == '!' || text[i] == '?';
    const bool before_space = i + 1 == text.size() || std::isspace(static_cast<unsigned char>(text[i + 1]));
    if (text[i] == '\n' || (ends_here && before_space)) take(i + 1);
    if (ends_ideographic(text.substr(i, 3))) take(i + 3);
  }
  if (sentences.size() < sentence_count) take(text.size());
  return sentences;
}

}  // namespace

std::vector<Sentence> score_sentences(std::string_view text, std::string_view query) {
  const auto sentences = split(web::utf8_prefix(text, text_bytes));
  std::vector<std::vector<std::string>> words;
  std::unordered_map<std::string, double> frequency;
  double highest_frequency = 1;
  for (const auto sentence : sentences) {
    words.push_back(relevant_words(sentence));
    for (const auto& word : words.back()) highest_frequency = std::max(highest_frequency, ++frequency[word]);
  }
  const auto query_words = relevant_words(query);
  const std::unordered_set<std::string> asked(query_words.begin(), query_words.end());

  std::vector<Sentence> scored;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    Sentence sentence{.text = sentences[i]};
    double central = 0, matches = 0;
    std::unordered_set<std::string_view> seen;
    for (const auto& word : words[i]) {
      if (!seen.insert(word).second) continue;
      central += frequency[word] / highest_frequency;
      if (asked.contains(word)) ++matches;
    }
    // The square root keeps long sentences from winning by length alone and short ones by their brevity.
    if (!words[i].empty()) sentence.score = central / std::sqrt(static_cast<double>(words[i].size()) + 3);
    sentence.score += query_weight * matches;
    sentence.relevant = matches > 0;
    scored.push_back(sentence);
  }
  return scored;
}

std::vector<std::string> best_sentences(std::string_view text, std::size_t count, std::string_view query) {
  const auto scored = score_sentences(text, query);
  std::vector<std::size_t> order;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    if (scored[i].score > 0 && seen.insert(scored[i].text).second) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scored[a].score > scored[b].score; });
  if (order.size() > count) order.resize(count);
  std::sort(order.begin(), order.end());
  std::vector<std::string> best;
  for (const auto i : order) best.emplace_back(scored[i].text);
  return best;
}

}  // namespace summarizer
