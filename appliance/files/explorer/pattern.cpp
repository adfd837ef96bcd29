#include "appliance/files/explorer/pattern.h"

#include <re2/re2.h>

namespace explorer {

namespace {

constexpr int most_instructions = 2'000;
constexpr std::int64_t most_memory_bytes = 8 << 20;

}  // namespace

struct Pattern::Compiled {
  re2::RE2 expression;
};

Pattern::Pattern(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

web::Result<Pattern> Pattern::compile(const std::string& text, Options options) {
  re2::RE2::Options settings(re2::RE2::Quiet);
  settings.set_literal(!options.is_regexp);
  settings.set_case_sensitive(!options.ignores_case);
  settings.set_never_nl(true);
  settings.set_max_mem(most_memory_bytes);
  // Without the group first, which could balance parentheses and would show up in the error message.
  if (const re2::RE2 alone(text, settings); !alone.ok()) {
    return web::invalid("q is no regular expression: " + alone.error());
  }
  // ^ and $ match at line ends, as in grep; the group applies the flag to all alternatives.
  const auto source = options.is_regexp ? "(?m:" + text + ")" : text;
  auto compiled = std::unique_ptr<const Compiled>(new Compiled{.expression{source, settings}});
  if (!compiled->expression.ok() || compiled->expression.ProgramSize() > most_instructions)
    return web::invalid("q is too large an expression");
  return Pattern(std::move(compiled));
}

std::optional<Pattern::Span> Pattern::find(std::string_view text, std::size_t from) const {
  re2::StringPiece match;
  const re2::StringPiece whole(text.data(), text.size());
  if (!compiled_->expression.Match(whole, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) return std::nullopt;
  const auto begin = static_cast<std::size_t>(match.data() - text.data());
  return Span{.begin = begin, .end = begin + match.size()};
}

}  // namespace explorer
