#include "appliance/files/explorer/pattern.h"

#include <re2/re2.h>

namespace explorer {

namespace {

constexpr int max_instructions = 2'000;
constexpr std::int64_t max_memory_bytes = 8 << 20;

// The regular expression of a glob.
std::string expression_of(std::string_view glob) {
  std::string expression = glob.find('/') == glob.npos ? "^(?:.*/)?" : "^";
  int open_braces = 0;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    const char c = glob[i];
    const auto rest = glob.substr(i);
    if (rest.starts_with("**/") && (i == 0 || glob[i - 1] == '/')) {
      expression += "(?:.*/)?";
      i += 2;
    } else if (rest.starts_with("**")) {
      expression += ".*";
      ++i;
    } else if (c == '*') {
      expression += "[^/]*";
    } else if (c == '?') {
      expression += "[^/]";
    } else if (const auto end = glob.find(']', i + 2); c == '[' && end != glob.npos) {
      auto set = std::string(glob.substr(i + 1, end - i - 1));
      if (set.front() == '!') set.front() = '^';
      expression += "[" + set + "]";
      i = end;
    } else if (c == '{') {
      ++open_braces;
      expression += "(?:";
    } else if (c == '}' && open_braces > 0) {
      --open_braces;
      expression += ")";
    } else if (c == ',' && open_braces > 0) {
      expression += "|";
    } else {
      expression += re2::RE2::QuoteMeta(std::string(1, c));
    }
  }
  return expression + "$";
}

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
  settings.set_max_mem(max_memory_bytes);
  // Without the group first, which could balance parentheses and would show up in the error message.
  if (const re2::RE2 alone(text, settings); !alone.ok()) {
    return web::invalid(std::string(options.field) + " is no regular expression: " + alone.error());
  }
  // ^ and $ match at line ends, as in grep; the group applies the flag to all alternatives.
  const auto source = options.is_regexp ? "(?m:" + text + ")" : text;
  auto compiled = std::unique_ptr<const Compiled>(new Compiled{.expression{source, settings}});
  if (!compiled->expression.ok() || compiled->expression.ProgramSize() > max_instructions)
    return web::invalid(std::string(options.field) + " is too large an expression");
  return Pattern(std::move(compiled));
}

web::Result<Pattern> Pattern::compile_glob(std::string_view glob, std::string_view field) {
  auto pattern = compile(expression_of(glob), {.is_regexp = true, .field = field});
  if (pattern) return pattern;
  return web::invalid(std::string(field) + " is no pattern of paths such as *.md or src/**/*.ts");
}

std::optional<Pattern::Span> Pattern::find(std::string_view text, std::size_t from) const {
  re2::StringPiece match;
  const re2::StringPiece whole(text.data(), text.size());
  if (!compiled_->expression.Match(whole, from, text.size(), re2::RE2::UNANCHORED, &match, 1)) return std::nullopt;
  const auto begin = static_cast<std::size_t>(match.data() - text.data());
  return Span{.begin = begin, .end = begin + match.size()};
}

}  // namespace explorer
