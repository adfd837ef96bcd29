#include "appliance/media/videos/text_layout.h"

#include <algorithm>
#include <cstdint>

namespace videos {

namespace {

struct Character {
  char32_t code = 0;
  std::string_view bytes;
};

// The first character of valid UTF-8.
Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = std::min<std::size_t>(text.size(), lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4);
  char32_t code = size == 1 ? lead : lead & (0xFFu >> (size + 1));
  for (std::size_t at = 1; at < size; ++at) code = (code << 6) | (static_cast<unsigned char>(text[at]) & 0x3Fu);
  return {code, text.substr(0, size)};
}

bool is_within(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

bool is_space(char32_t code) {
  return code == ' ' || code == '\t' || code == '\r' || code == 0xA0 || code == 0x3000 ||
         is_within(code, 0x2000, 0x200A);
}

bool is_line_end(char32_t code) { return code == '\n' || code == 0x85 || code == 0x2028 || code == 0x2029; }

// Scripts that are written without spaces between words, and pictographs.
bool is_wide(char32_t code) {
  return is_within(code, 0x1100, 0x115F) || is_within(code, 0x2E80, 0xA4CF) || is_within(code, 0xAC00, 0xD7A3) ||
         is_within(code, 0xF900, 0xFAFF) || is_within(code, 0xFE30, 0xFE4F) || is_within(code, 0xFF00, 0xFF60) ||
         is_within(code, 0x1F300, 0x1FAFF) || is_within(code, 0x20000, 0x3FFFD);
}

// Marks that join the character before them; joiners and variation selectors.
bool is_mark(char32_t code) {
  return is_within(code, 0x300, 0x36F) || is_within(code, 0x610, 0x61A) || is_within(code, 0x64B, 0x65F) ||
         is_within(code, 0x591, 0x5BD) || is_within(code, 0x200B, 0x200F) || is_within(code, 0xFE00, 0xFE0F) ||
         is_within(code, 0x20D0, 0x20FF) || is_within(code, 0x1F3FB, 0x1F3FF);
}

std::size_t width_of(char32_t code) { return is_mark(code) ? 0 : is_wide(code) ? 2 : 1; }

class Breaker {
 public:
  explicit Breaker(std::size_t columns) : columns_(columns) {}

  void add(Character character) {
    if (is_line_end(character.code)) return end_line();
    if (is_space(character.code)) return end_word(true);
    const std::size_t width = width_of(character.code);
    if (width == 2) end_word(false);
    if (word_width_ + width > columns_) end_word(false);
    word_ += character.bytes;
    word_width_ += width;
    if (width == 2) end_word(false);
  }

  std::vector<std::string> take() {
    end_line();
    return std::move(lines_);
  }

 private:
  void end_word(bool has_space) {
    if (!word_.empty()) {
      const std::size_t gap = needs_space_ && !line_.empty() ? 1 : 0;
      if (line_width_ + gap + word_width_ > columns_ && !line_.empty()) {
        lines_.push_back(std::move(line_));
        line_.clear();
        line_width_ = 0;
      } else if (gap == 1) {
        line_ += ' ';
        ++line_width_;
      }
      line_ += word_;
      line_width_ += word_width_;
      needs_space_ = false;
      word_.clear();
      word_width_ = 0;
    }
    needs_space_ |= has_space;
  }

  void end_line() {
    end_word(false);
    if (!line_.empty()) lines_.push_back(std::move(line_));
    line_.clear();
    line_width_ = 0;
    needs_space_ = false;
  }

  const std::size_t columns_;
  std::string line_, word_;
  std::size_t line_width_ = 0, word_width_ = 0;
  bool needs_space_ = false;
  std::vector<std::string> lines_;
};

bool ends_sentence(char32_t code) {
  return code == '.' || code == '!' || code == '?' || is_line_end(code) || code == 0x3002 || code == 0xFF01 ||
         code == 0xFF1F || code == 0x61F || code == 0x964;
}

}  // namespace

std::size_t count_characters(std::string_view text) {
  return std::size_t(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_right_to_left(std::string_view text) {
  while (!text.empty()) {
    const auto character = first_of(text);
    const auto code = character.code;
    if (is_within(code, 0x590, 0x8FF) || is_within(code, 0xFB1D, 0xFDFF) || is_within(code, 0xFE70, 0xFEFF))
      return true;
    const bool is_latin_letter = is_within(code | 0x20, 'a', 'z');
    if (is_latin_letter || code >= 0xC0) return false;
    text.remove_prefix(character.bytes.size());
  }
  return false;
}

std::vector<std::string> break_lines(std::string_view text, std::size_t columns) {
  Breaker breaker(columns);
  while (!text.empty()) {
    const auto character = first_of(text);
    breaker.add(character);
    text.remove_prefix(character.bytes.size());
  }
  return breaker.take();
}

std::vector<std::string> split_text(std::string_view text, std::size_t most, std::size_t parts) {
  std::vector<std::string> found;
  std::string part;
  std::size_t size = 0, sentence_end = 0;  // bytes of `part` up to the end of its last whole sentence
  const auto cut = [&](std::size_t bytes) {
    std::string rest = part.substr(bytes);
    part.resize(bytes);
    if (part.find_first_not_of(" \t\r\n") != std::string::npos) found.push_back(std::move(part));
    rest.erase(0, std::min(rest.size(), rest.find_first_not_of(' ')));
    part = std::move(rest);
    size = count_characters(part);
    sentence_end = 0;
  };
  while (!text.empty()) {
    const auto character = first_of(text);
    text.remove_prefix(character.bytes.size());
    part += character.bytes;
    ++size;
    if (ends_sentence(character.code)) sentence_end = part.size();
    if (size < most || found.size() + 1 >= parts) continue;
    if (sentence_end > 0) {
      cut(sentence_end);
    } else if (const auto space = part.rfind(' '); space != std::string::npos && space > 0) {
      cut(space);
    } else if (size >= 2 * most) {
      cut(part.size());
    }
  }
  cut(part.size());
  return found;
}

}  // namespace videos
