// Character references ("&amp;", "&#38;") are replaced by their characters, as in the text of a page.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace summarizer {

// For one page. Names are resolved by gumbo, once each.
class CharacterReferences {
 public:
  // Appends the text to `out`. After 2,000 different names on a page, further ones are not replaced.
  void append(std::string& out, std::string_view text);
  // For the value of an attribute, which has slightly different rules. After 2,000 values with references, further ones
  // are not changed.
  std::string of_attribute(std::string_view value);

 private:
  void append_named(std::string& out, std::string_view candidate);

  std::unordered_map<std::string, std::string> names_;
  int asked_ = 0;
};

}  // namespace summarizer
