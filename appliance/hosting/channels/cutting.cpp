// Cutting long texts (markup.h).
#include <algorithm>
#include <utility>

#include "appliance/hosting/channels/markup.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace channels {

namespace {

constexpr std::string_view fence_mark = "```";
constexpr std::size_t max_fence = 24;  // with the language

class Cutter {
 public:
  explicit Cutter(const TextLimit& limit) : limit_(limit) {}

  std::vector<std::string> cut(std::string_view text) {
    // Paragraphs stay whole where they can: a blank line is the best place to cut.
    std::string paragraph;
    bool is_code = false;
    while (!text.empty()) {
      const auto line = web::first_line(text);
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      if (web::trim(line).starts_with(fence_mark)) is_code = !is_code;
      paragraph.append(line).append("\n");
      if (!is_code && web::trim(line, web::white_space).empty()) add_paragraph(std::exchange(paragraph, {}));
    }
    add_paragraph(std::move(paragraph));
    flush();
    return std::move(pieces_);
  }

 private:
  // Line feeds at the end go when the piece ends.
  bool fits(std::string_view text) const {
    return measure(text.substr(0, text.find_last_not_of('\n') + 1), limit_) <= limit_.length;
  }

  void add_paragraph(std::string paragraph) {
    if (fits(piece_ + paragraph)) {
      piece_ += paragraph;
      return;
    }
    flush();
    if (fits(paragraph)) {
      piece_ = std::move(paragraph);
      return;
    }
    for (std::string_view rest = paragraph; !rest.empty();) {
      const auto line = web::first_line(rest);
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      add_line(line);
    }
  }

  void add_line(std::string_view line) {
    const bool is_fence = web::trim(line).starts_with(fence_mark);
    // Room for the end of the code block, if the piece ends within.
    const auto closed = open_fence_.empty() ? std::string() : std::string(fence_mark) + "\n";
    if (!fits(piece_ + std::string(line) + "\n" + closed)) break_piece();
    while (!fits(piece_ + std::string(line) + "\n" + closed)) {
      const auto part = longest_part(line, closed);
      piece_.append(part).append("\n");
      line.remove_prefix(part.size());
      if (open_fence_.empty())
        while (line.starts_with(' ')) line.remove_prefix(1);
      break_piece();
    }
    piece_.append(line).append("\n");
    if (is_fence) open_fence_ = open_fence_.empty() ? std::string(web::trim(line).substr(0, max_fence)) : std::string();
  }

  // Ends at a space if there is one in its second half.
  std::string_view longest_part(std::string_view line, const std::string& closed) const {
    std::size_t low = 1, high = line.size();
    while (low < high) {
      const auto middle = (low + high + 1) / 2;
      const auto part = web::utf8_prefix(line, middle);
      if (fits(piece_ + std::string(part) + "\n" + closed))
        low = middle;
      else
        high = middle - 1;
    }
    auto part = web::utf8_prefix(line, low);
    if (part.empty()) part = line.substr(0, std::max<std::size_t>(web::decode_utf8(line).length, 1));
    const auto space = part.rfind(' ');
    if (space != part.npos && space > part.size() / 2) part = part.substr(0, space);
    return part;
  }

  void break_piece() {
    const auto fence = open_fence_;
    if (!fence.empty() && piece_ == fence + "\n") return;  // nothing of the code yet
    if (!fence.empty()) piece_ += fence_mark;
    flush();
    if (!fence.empty()) piece_ = fence + "\n";
  }

  void flush() {
    const auto end = piece_.find_last_not_of(web::white_space);
    if (end != std::string::npos) {
      piece_.resize(end + 1);
      const auto begin = piece_.find_first_not_of("\r\n");
      pieces_.push_back(piece_.substr(begin));
    }
    piece_.clear();
  }

  const TextLimit limit_;
  std::string piece_, open_fence_;
  std::vector<std::string> pieces_;
};

}  // namespace

std::size_t measure(std::string_view text, const TextLimit& limit) {
  if (limit.in_bytes) return text.size();
  // Four bytes of UTF-8 are two code units, fewer are one.
  const auto count = [text](char wanted) { return static_cast<std::size_t>(std::ranges::count(text, wanted)); };
  const auto entities = limit.is_escaped ? 4 * count('&') + 3 * (count('<') + count('>')) : 0;
  return entities +
         static_cast<std::size_t>(std::count_if(
             text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; })) +
         static_cast<std::size_t>(
             std::count_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xF0; }));
}

std::vector<std::string> cut(std::string_view markdown, const TextLimit& limit) { return Cutter(limit).cut(markdown); }

}  // namespace channels
