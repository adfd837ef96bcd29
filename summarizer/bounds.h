// The bounds of a summary, and collectors of its lists and descriptions.
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

// A bounded list without duplicates.
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

// Adds a <meta> element; the first of a name counts.
void describe(boost::json::object& meta, std::string_view name, std::string_view content);
// The plain description, else a social one.
std::string description_of(const boost::json::object& meta);

}  // namespace summarizer
