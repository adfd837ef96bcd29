// What a summary holds at most, and how its lists and descriptions are gathered.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace summarizer {

inline constexpr std::size_t max_headings = 20, max_paragraphs = 10, max_meta = 100;
// In characters. The contract bounds link texts and alternatives; the rest is ours, so that one page cannot make an
// answer of megabytes.
inline constexpr std::size_t max_label = 100, max_title = 1'000, max_paragraph = 10'000, max_meta_value = 2'000;

// A list without duplicates and with an end.
class Distinct {
 public:
  explicit Distinct(std::size_t max) : max_(max) {}
  void add(std::string text) {
    if (text.empty() || full() || !seen_.insert(text).second) return;
    items_.push_back(std::move(text));
  }
  bool full() const { return items_.size() == max_; }
  std::vector<std::string> take() { return std::move(items_); }

 private:
  const std::size_t max_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string> items_;
};

// Takes what a <meta> element says of the page; the first of a name counts.
void describe(boost::json::object& meta, std::string_view name, std::string_view content);
// The plain one, else the social ones.
std::string description_of(const boost::json::object& meta);

}  // namespace summarizer
