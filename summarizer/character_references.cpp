#include "summarizer/character_references.h"

#include <gumbo.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "summarizer/guard.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

constexpr int max_asked = 2'000;
constexpr std::size_t longest_name = 34;  // with '&' and ';'

struct FreeOutput {
  void operator()(GumboOutput* output) const { gumbo_destroy_output(&kGumboDefaultOptions, output); }
};
using Output = std::unique_ptr<GumboOutput, FreeOutput>;

// The first element of this tag in a small page.
const GumboNode* find(const GumboNode* node, GumboTag tag) {
  if (node->type != GUMBO_NODE_ELEMENT) return nullptr;
  if (node->v.element.tag == tag) return node;
  const auto& children = node->v.element.children;
  for (unsigned i = 0; i < children.length; ++i)
    if (const auto* found = find(static_cast<const GumboNode*>(children.data[i]), tag)) return found;
  return nullptr;
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// Numbers of upper controls mean the characters of Windows-1252; invalid numbers become U+FFFD.
char32_t character_of(char32_t number) {
  constexpr std::array<char32_t, 32> windows{0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                             0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                             0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                             0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};
  if (number >= 0x80 && number < 0xa0) return windows[number - 0x80];
  const bool is_none = number == 0 || number > 0x10ffff || (number >= 0xd800 && number < 0xe000);
  return is_none ? 0xfffd : number;
}

// Appends the character of a numeric reference ("&#...") at the start of `text`; returns its length in bytes, 0 for
// none.
std::size_t append_numeric(std::string& out, std::string_view text) {
  const bool is_hex = text.size() > 2 && web::to_lower(text[2]) == 'x';
  const auto begin = is_hex ? 3u : 2u;
  const auto end =
      std::min(text.find_first_not_of(is_hex ? "0123456789abcdefABCDEF" : "0123456789", begin), text.size());
  if (end <= begin) return 0;
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data() + begin, text.data() + end, number, is_hex ? 16 : 10);
  append_utf8(out, read.ec == std::errc() ? character_of(number) : 0xfffd);
  return end + (end < text.size() && text[end] == ';' ? 1 : 0);
}

}  // namespace

void CharacterReferences::append(std::string& out, std::string_view text) {
  for (std::size_t at; (at = text.find('&')) != text.npos;) {
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.size() > 1 && text[1] == '#') {
      const auto taken = append_numeric(out, text);
      if (taken == 0) out += "&#";
      text.remove_prefix(taken == 0 ? 2 : taken);
      continue;
    }
    std::size_t end = 1;
    while (end < std::min(text.size(), longest_name) && web::is_alphanumeric(text[end])) ++end;
    if (end > 1 && end < text.size() && text[end] == ';') ++end;
    append_named(out, text.substr(0, end));
    text.remove_prefix(end);
  }
  out += text;
}

void CharacterReferences::append_named(std::string& out, std::string_view candidate) {
  if (candidate == "&lt;") {
    out += '<';
  } else if (candidate == "&gt;") {
    out += '>';
  } else if (candidate == "&amp;") {
    out += '&';
  } else if (const auto known = names_.find(std::string(candidate)); known != names_.end()) {
    out += known->second;
  } else if (candidate.size() == 1 || asked_++ >= max_asked) {
    out += candidate;
  } else {
    const auto page = "<title>" + std::string(candidate) + "</title>";
    const Output output(gumbo_parse_with_options(&kGumboDefaultOptions, page.data(), page.size()));
    const auto* title = find(output->root, GUMBO_TAG_TITLE);
    const auto& children = title->v.element.children;
    std::string meaning;
    for (unsigned i = 0; i < children.length; ++i)
      meaning += static_cast<const GumboNode*>(children.data[i])->v.text.text;
    out += names_.emplace(candidate, std::move(meaning)).first->second;
  }
}

std::string CharacterReferences::of_attribute(std::string_view value) {
  if (value.find('&') == value.npos || asked_++ >= max_asked) return std::string(value);
  std::string page = "<meta content=\"";
  for (const char c : value) {
    if (c == '"') {
      page += "&quot;";
    } else {
      page += c;
    }
  }
  page += "\">";
  page = guarded(page);  // gumbo adds up the digits of a reference in an int
  const Output output(gumbo_parse_with_options(&kGumboDefaultOptions, page.data(), page.size()));
  const auto* meta = find(output->root, GUMBO_TAG_META);
  const auto* content = meta ? gumbo_get_attribute(&meta->v.element.attributes, "content") : nullptr;
  return content ? content->value : std::string();
}

}  // namespace summarizer
