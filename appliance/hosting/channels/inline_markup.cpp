#include "appliance/hosting/channels/inline_markup.h"

#include <array>

#include "web/ascii.h"

namespace channels {

namespace {

constexpr int max_nesting = 8;
// Searches for the end of a mark that found none, after which the rest of the text is plain: a text of open marks alone
// would otherwise take quadratic time.
constexpr int max_failures = 100;

class InlineParser {
 public:
  explicit InlineParser(std::string_view text) : text_(text) {}

  std::vector<Span> parse(int depth) {
    while (at_ < text_.size())
      if (!take_escape() && !(failures_ < max_failures && take_markup(depth))) plain_ += text_[at_++];
    flush();
    return std::move(spans_);
  }

 private:
  void flush() {
    if (!plain_.empty()) spans_.push_back({.kind = Span::Kind::text, .text = std::move(plain_)});
    plain_.clear();
  }
  void add(Span span) {
    flush();
    spans_.push_back(std::move(span));
  }
  std::string_view rest() const { return text_.substr(at_); }

  bool take_markup(int depth) {
    return take_code() || (depth < max_nesting && (take_link(depth) || take_emphasis(depth)));
  }

  bool take_escape() {
    static constexpr std::string_view escapable = "\\`*_{}[]()#+-.!~>|";
    if (text_[at_] != '\\' || at_ + 1 == text_.size() || escapable.find(text_[at_ + 1]) == std::string_view::npos)
      return false;
    plain_ += text_[at_ + 1];
    at_ += 2;
    return true;
  }

  bool take_code() {
    if (text_[at_] != '`') return false;
    const auto after = rest().find_first_not_of('`');
    if (after == std::string_view::npos) return false;
    const std::string_view fence = rest().substr(0, after);
    const auto end = rest().find(fence, after);
    if (end == std::string_view::npos) {
      ++failures_;
      plain_ += fence;
      at_ += after;
      return true;
    }
    add({.kind = Span::Kind::code, .text = std::string(rest().substr(after, end - after))});
    at_ += end + fence.size();
    return true;
  }

  // [text](target), ![text](target) or <https://...>.
  bool take_link(int depth) {
    if (text_[at_] == '<') {
      const auto end = rest().find('>');
      if (end == std::string_view::npos) ++failures_;
      if (end == std::string_view::npos || !is_web_address(rest().substr(1, end - 1))) return false;
      const auto target = std::string(rest().substr(1, end - 1));
      add({.kind = Span::Kind::link, .target = target, .children = {{.kind = Span::Kind::text, .text = target}}});
      at_ += end + 1;
      return true;
    }
    const std::size_t open = rest().starts_with("![") ? 1 : 0;
    if (rest().substr(open, 1) != "[") return false;
    const auto close = closing_bracket(open);
    if (close == std::string_view::npos) ++failures_;
    if (close == std::string_view::npos || rest().substr(close + 1, 1) != "(") return false;
    const auto end = rest().find(')', close + 2);
    if (end == std::string_view::npos) return false;
    auto target = web::trim(rest().substr(close + 2, end - close - 2), web::white_space);
    target = target.substr(0, target.find_first_of(" \t\n"));  // without a title
    auto children = InlineParser(rest().substr(open + 1, close - open - 1)).parse(depth + 1);
    if (children.empty()) children.push_back({.kind = Span::Kind::text, .text = std::string(target)});
    add({.kind = Span::Kind::link, .target = std::string(target), .children = std::move(children)});
    at_ += end + 1;
    return true;
  }

  std::size_t closing_bracket(std::size_t open) const {
    int depth = 0;
    for (auto at = open; at < rest().size(); ++at) {
      if (rest()[at] == '\\')
        ++at;
      else if (rest()[at] == '[')
        ++depth;
      else if (rest()[at] == ']' && --depth == 0)
        return at;
    }
    return std::string_view::npos;
  }

  bool take_emphasis(int depth) {
    struct Mark {
      std::string_view text;
      Span::Kind kind;
    };
    static constexpr std::array<Mark, 5> marks{{{"**", Span::Kind::bold},
                                                {"__", Span::Kind::bold},
                                                {"~~", Span::Kind::strike},
                                                {"*", Span::Kind::italic},
                                                {"_", Span::Kind::italic}}};
    for (const auto& [mark, kind] : marks) {
      if (!rest().starts_with(mark)) continue;
      // snake_case is no emphasis.
      const bool is_within_word = at_ > 0 && web::is_alphanumeric(text_[at_ - 1]);
      const auto first = rest().substr(mark.size(), 1);
      if ((mark[0] == '_' && is_within_word) || first.empty() || first == " " || first == "\n") continue;
      const auto end = end_of(mark);
      if (end == std::string_view::npos) {
        ++failures_;
        continue;
      }
      add({.kind = kind, .children = InlineParser(rest().substr(mark.size(), end - mark.size())).parse(depth + 1)});
      at_ += end + mark.size();
      return true;
    }
    return false;
  }

  // Not within code, and not after white space.
  std::size_t end_of(std::string_view mark) const {
    bool is_code = false;
    for (auto at = mark.size(); at < rest().size(); ++at) {
      if (rest()[at] == '\\') {
        ++at;
        continue;
      }
      if (rest()[at] == '`') is_code = !is_code;
      if (is_code || !rest().substr(at).starts_with(mark) || at == mark.size()) continue;
      const char before = rest()[at - 1];
      const auto after = rest().substr(at + mark.size(), 1);
      const bool is_longer = mark.size() == 1 && after == mark;
      if (is_longer) {
        ++at;
        continue;
      }
      const bool is_within_word = mark[0] == '_' && !after.empty() && web::is_alphanumeric(after[0]);
      if (before != ' ' && before != '\n' && !is_within_word) return at;
    }
    return std::string_view::npos;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int failures_ = 0;
  std::string plain_;
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> parse_inline(std::string_view text) { return InlineParser(text).parse(0); }

bool is_web_address(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://", "mailto:", "tel:"})
    if (web::starts_ignoring_case(target, scheme)) return true;
  return false;
}

}  // namespace channels
