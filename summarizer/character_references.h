// Character references ("&amp;", "&#38;") become what they stand for, as in text of a page.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace summarizer {

// For one page. Names are gumbo's, asked once each.
class CharacterReferences {
 public:
  // Appends the text to `out`. Beyond 2,000 different names on a page, which no honest one has, further ones stay as
  // they stand.
  void append(std::string& out, std::string_view text);
  // An attribute's value, whose references follow slightly other rules. Beyond 2,000 that hold any, as it stands.
  std::string of_attribute(std::string_view value);

 private:
  void append_named(std::string& out, std::string_view candidate);

  std::unordered_map<std::string, std::string> names_;
  int asked_ = 0;
};

}  // namespace summarizer
