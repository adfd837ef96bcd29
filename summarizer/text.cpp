#include "summarizer/text.h"

#include <algorithm>

#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

// Calls `take` with each character's bytes and whether it is white space, until it returns false. Soft hyphens are
// left out.
template <class Take>
void for_each_character(std::string_view utf8, Take take) {
  while (!utf8.empty()) {
    const auto first = static_cast<unsigned char>(utf8.front());
    if (first < 0x80) {
      if (!take(utf8.substr(0, 1), first == ' ' || (first >= 0x09 && first <= 0x0d))) return;
      utf8.remove_prefix(1);
      continue;
    }
    const auto point = web::decode_utf8(utf8);
    const auto length = std::max<std::size_t>(point.length, 1);
    if (point.value != soft_hyphen && !take(utf8.substr(0, length), is_white_space(point.value))) return;
    utf8.remove_prefix(length);
  }
}

}  // namespace

bool is_white_space(char32_t c) {
  return c == 0x20 || (c >= 0x09 && c <= 0x0d) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200b) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 ||
         c == 0xfeff;
}

std::string_view trimmed(std::string_view text) { return web::trim(text, web::white_space); }

void CollapsedText::add(std::string_view utf8) {
  if (full()) return;
  for_each_character(utf8, [this](std::string_view character, bool space) {
    if (space) {
      add_break();
      return true;
    }
    if (space_pending_) {
      if (characters_ + 1 >= max_characters_) {
        characters_ = max_characters_;
        return false;
      }
      text_ += ' ';
      ++characters_;
      space_pending_ = false;
    }
    text_ += character;
    return ++characters_ < max_characters_;
  });
}

void WordCount::add(std::string_view utf8) {
  for_each_character(utf8, [this](std::string_view, bool space) {
    if (!space && !in_word_) ++words_;
    in_word_ = !space;
    return true;
  });
}

std::string collapsed(std::string_view utf8, std::size_t max_characters) {
  CollapsedText text(max_characters);
  text.add(utf8);
  return text.take();
}

}  // namespace summarizer
