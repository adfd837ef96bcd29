// One linear pass over HTML text: start tags, end tags and the text between them, without a tree and without a copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace summarizer {

// Views into the page. Character references are not resolved.
struct RawAttribute {
  std::string_view name, value;
};

struct Token {
  enum class Kind { text, start_tag, end_tag };
  Kind kind = Kind::text;
  std::string_view text;    // of a text
  std::string_view name;    // of a tag, as spelled
  bool is_literal = false;  // of a text from a CDATA section: it has no character references
  bool self_closing = false;
  std::vector<RawAttribute> attributes;  // of a start tag
};

enum class Syntax {
  html,
  xml  // with CDATA sections
};

class Scanner {
 public:
  // Attributes beyond `max_attributes` of one tag, and values longer than `max_value` bytes, are skipped. `html` must
  // outlive the scanner.
  Scanner(std::string_view html, std::size_t max_attributes, std::size_t max_value, Syntax syntax = Syntax::html);

  // The next token, valid until the next call; false at the end. Comments, doctypes, processing instructions and a
  // truncated last tag are skipped.
  bool next();
  const Token& token() const { return token_; }
  // The page from the end of the token on.
  std::string_view rest() const { return html_.substr(std::min(position_, html_.size())); }

  // The text up to and beyond the end tag of `name`, for elements whose content is not markup (script, style, title,
  // ...). Up to the end of the page if there is no such tag.
  std::string_view raw_text(std::string_view name);

 private:
  bool read_tag();
  void read_attribute();
  void skip_comment();
  void skip_space();
  char at(std::size_t position) const { return position < html_.size() ? html_[position] : '\0'; }

  const std::string_view html_;
  const std::size_t max_attributes_, max_value_;
  const Syntax syntax_;
  std::size_t position_ = 0;
  Token token_;
};

}  // namespace summarizer
