// What a search looks for, compiled. The one unit that includes RE2 stands behind it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "web/result.h"

namespace explorer {

class Pattern {
 public:
  struct Options {
    bool is_regexp = false, ignores_case = false;
  };
  // Kind::invalid with RE2's reason when it is no regular expression, or one that takes more than 2,000 instructions:
  // the time for a text is its length times their number at worst.
  static web::Result<Pattern> compile(const std::string& text, Options);
  Pattern(Pattern&&) noexcept;
  ~Pattern();

  struct Span {
    std::size_t begin = 0, end = 0;
  };
  // The first match that begins at `from` or later; never across a line feed. `text` is UTF-8.
  std::optional<Span> find(std::string_view text, std::size_t from) const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<const Compiled>);

  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace explorer
