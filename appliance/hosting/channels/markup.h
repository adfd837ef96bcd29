// Agents write Markdown; each provider has a form of its own. The text is read into blocks once and written in the
// provider's form, which is therefore always complete: every element that is opened is closed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace channels {

enum class Format {
  plain,          // as people type
  markdown,       // as it is
  telegram_html,  // b, i, s, code, pre, a, blockquote
  matrix_html,    // org.matrix.custom.html
  mrkdwn,         // Slack's
  whatsapp        // the same marks, without entities and links
};

std::string render(std::string_view markdown, Format);

struct TextLimit {
  std::size_t length;
  bool in_bytes = false;    // else in UTF-16 code units, which no provider counts more of
  bool is_escaped = false;  // &, < and > count as their entities
};
std::size_t measure(std::string_view text, const TextLimit&);

// Cuts a long text at paragraphs, within lists at items, within code at lines (each piece is a code block of its own),
// and within a line at spaces. No piece is longer than the limit or blank; nothing but white space is lost.
std::vector<std::string> cut(std::string_view markdown, const TextLimit&);

// The targets of links and pictures that are not addresses of the web: files.
std::vector<std::string> linked_files(std::string_view markdown);

}  // namespace channels
