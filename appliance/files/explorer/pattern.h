// A compiled search pattern. Only pattern.cpp includes RE2.
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
    std::string_view field = "q";  // that error messages name
  };
  // Kind::invalid with RE2's reason for an invalid regular expression or one of more than 2,000 instructions: in the
  // worst case the search time is the text's length times their number.
  static web::Result<Pattern> compile(const std::string& text, Options);
  // A pattern of whole paths: * and ? match within a name, ** across folders, [a-z] a character, {a,b} either part.
  // Without a slash it is a pattern of the last name. Kind::invalid, naming the field.
  static web::Result<Pattern> compile_glob(std::string_view glob, std::string_view field);
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
