#include "summarizer/scanner.h"

#include <algorithm>

#include "web/ascii.h"

namespace summarizer {
namespace {

constexpr std::string_view space = " \t\r\n\f";

bool is_space(char c) { return space.find(c) != space.npos; }

}  // namespace

Scanner::Scanner(std::string_view html, std::size_t max_attributes, std::size_t max_value, Syntax syntax)
    : html_(html), max_attributes_(max_attributes), max_value_(max_value), syntax_(syntax) {}

bool Scanner::next() {
  while (position_ < html_.size()) {
    const bool is_end_tag = at(position_) == '<' && at(position_ + 1) == '/' && web::is_letter(at(position_ + 2));
    if (is_end_tag || (at(position_) == '<' && web::is_letter(at(position_ + 1)))) {
      token_.kind = is_end_tag ? Token::Kind::end_tag : Token::Kind::start_tag;
      position_ += is_end_tag ? 2 : 1;
      return read_tag();
    }
    constexpr std::string_view section = "<![CDATA[";
    if (syntax_ == Syntax::xml && html_.substr(position_).starts_with(section)) {
      const auto start = position_ + section.size(), end = std::min(html_.find("]]>", start), html_.size());
      token_.kind = Token::Kind::text;
      token_.text = html_.substr(start, end - start);
      token_.is_literal = true;
      position_ = std::min(end + 3, html_.size());
      return true;
    }
    if (at(position_) == '<' && (at(position_ + 1) == '!' || at(position_ + 1) == '?' || at(position_ + 1) == '/')) {
      skip_comment();
      continue;
    }
    // A '<' that starts no tag is text, too.
    const auto end = std::min(html_.find('<', position_ + 1), html_.size());
    token_.kind = Token::Kind::text;
    token_.text = html_.substr(position_, end - position_);
    token_.is_literal = false;
    position_ = end;
    return true;
  }
  return false;
}

std::string_view Scanner::raw_text(std::string_view name) {
  const auto start = position_;
  for (auto found = html_.find("</", start); found != html_.npos; found = html_.find("</", found + 2)) {
    const auto after = found + 2 + name.size();
    if (!web::equal_ignoring_case(html_.substr(found + 2, name.size()), name)) continue;
    if (at(after) != '>' && at(after) != '/' && !is_space(at(after))) continue;
    const auto close = html_.find('>', after);
    position_ = close == html_.npos ? html_.size() : close + 1;
    return html_.substr(start, found - start);
  }
  position_ = html_.size();
  return html_.substr(start);
}

bool Scanner::read_tag() {
  const auto name_end = std::min(html_.find_first_of(" \t\r\n\f/>", position_), html_.size());
  token_.name = html_.substr(position_, name_end - position_);
  token_.self_closing = false;
  token_.attributes.clear();
  position_ = name_end;
  while (position_ < html_.size()) {
    skip_space();
    if (at(position_) == '>') {
      token_.self_closing = html_[position_ - 1] == '/';
      ++position_;
      return true;
    }
    if (at(position_) == '/') {
      ++position_;
    } else if (position_ < html_.size()) {
      read_attribute();
    }
  }
  return false;
}

void Scanner::read_attribute() {
  RawAttribute attribute;
  const auto name_end = std::min(html_.find_first_of(" \t\r\n\f/>=", position_ + 1), html_.size());
  attribute.name = html_.substr(position_, name_end - position_);
  position_ = name_end;
  skip_space();
  if (at(position_) == '=') {
    ++position_;
    skip_space();
    const char quote = at(position_);
    if (quote == '"' || quote == '\'') {
      const auto end = std::min(html_.find(quote, position_ + 1), html_.size());
      attribute.value = html_.substr(position_ + 1, end - position_ - 1);
      position_ = std::min(end + 1, html_.size());
    } else {
      const auto end = std::min(html_.find_first_of(" \t\r\n\f>", position_), html_.size());
      attribute.value = html_.substr(position_, end - position_);
      position_ = end;
    }
  }
  if (token_.attributes.size() < max_attributes_ && attribute.value.size() <= max_value_) {
    token_.attributes.push_back(attribute);
  }
}

void Scanner::skip_comment() {
  const auto rest = html_.substr(position_);
  std::size_t length = rest.npos;
  if (rest.starts_with("<!--")) {
    if (rest.starts_with("<!-->")) {
      length = 5;
    } else if (rest.starts_with("<!--->")) {
      length = 6;
    } else {
      // One pass, whichever end comes first: a page may hold a million comments.
      for (auto dashes = html_.find("--", position_ + 4); dashes != html_.npos; dashes = html_.find("--", dashes + 1)) {
        const auto end = dashes + (at(dashes + 2) == '!' ? 3 : 2);
        if (at(end) != '>') continue;
        length = end + 1 - position_;
        break;
      }
    }
  } else if (const auto end = html_.find('>', position_); end != html_.npos) {
    length = end + 1 - position_;
  }
  position_ = length == rest.npos ? html_.size() : position_ + length;
}

void Scanner::skip_space() { position_ = std::min(html_.find_first_not_of(space, position_), html_.size()); }

}  // namespace summarizer
