#include "summarizer/notation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "summarizer/text.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

constexpr std::size_t script_lookahead = 200, longest_script = 40, longest_tex = 4'096, longest_formula = 8'192;
constexpr std::size_t deepest_formula = 64;

struct ScriptDigit {
  std::string_view text, raised, lowered;
};
constexpr std::array<ScriptDigit, 20> script_digits{{
    {"0", "⁰", "₀"}, {"1", "¹", "₁"}, {"2", "²", "₂"},       {"3", "³", "₃"},       {"4", "⁴", "₄"},
    {"5", "⁵", "₅"}, {"6", "⁶", "₆"}, {"7", "⁷", "₇"},       {"8", "⁸", "₈"},       {"9", "⁹", "₉"},
    {"+", "⁺", "₊"}, {"-", "⁻", "₋"}, {"=", "⁼", "₌"},       {"(", "⁽", "₍"},       {")", "⁾", "₎"},
    {"−", "⁻", "₋"}, {"–", "⁻", "₋"}, {"&minus;", "⁻", "₋"}, {"&ndash;", "⁻", "₋"}, {"&#8722;", "⁻", "₋"},
}};

// Ordinals and abbreviations that are raised in print, and marks that mean the same on the line.
constexpr auto raised_words = std::to_array<std::string_view>(
    {"st", "nd", "rd", "th", "er", "re", "ère", "ème", "eme", "nde", "me", "lle", "mme", "tm", "sm"});

const ScriptDigit* script_digit_at(std::string_view text) {
  const auto* found =
      std::ranges::find_if(script_digits, [text](const auto& digit) { return text.starts_with(digit.text); });
  return found == script_digits.end() ? nullptr : found;
}

bool is_all_digits(std::string_view text) {
  while (!text.empty()) {
    const auto* digit = script_digit_at(text);
    if (!digit) return false;
    text.remove_prefix(digit->text.size());
  }
  return true;
}

// The text up to the end tag of the element; nothing if it lies too far off.
std::string text_within(std::string_view after, std::string_view name) {
  after = after.substr(0, script_lookahead);
  std::string text;
  int depth = 0;
  while (!after.empty()) {
    const auto tag = after.find('<');
    text += after.substr(0, tag);
    if (tag == after.npos) return {};
    after.remove_prefix(tag + 1);
    if (web::starts_ignoring_case(after, name)) ++depth;
    if (after.starts_with('/') && web::starts_ignoring_case(after.substr(1), name) && depth-- == 0) return text;
    const auto end = after.find('>');
    if (end == after.npos) return {};
    after.remove_prefix(end + 1);
  }
  return {};
}

bool holds_words(std::string_view text) {
  std::size_t letters = 0;
  bool has_space = false, has_word = false;
  for (const char c : text) {
    letters = web::is_letter(c) || static_cast<unsigned char>(c) >= 0x80 ? letters + 1 : 0;
    has_word = has_word || letters >= 3;
    has_space = has_space || c == ' ';
  }
  return has_space && has_word;
}

// "1er", "XXe", "no": an ordinal that one letter makes.
bool is_ordinal(std::string_view letter, char before) {
  const bool after_number = is_digit(before) || std::string_view("IVXLCDM").find(before) != std::string_view::npos;
  return (letter == "e" && after_number) || (letter == "o" && (after_number || before == 'n' || before == 'N'));
}

// A mark of a note or a trade mark: nothing in it is a letter of the alphabet or a digit.
bool is_mark(std::string_view text) {
  for (std::string_view mark : {"®", "©", "™", "℠", "†", "‡", "§", "¶", "ª", "º", "&reg;", "&copy;", "&trade;",
                                "&dagger;", "&Dagger;", "&sect;", "&para;", "&ordf;", "&ordm;"}) {
    if (text == mark) return true;
  }
  return std::ranges::none_of(text, [](char c) { return is_word(c) || c == '&'; });
}

// One character, or letters and digits alone.
bool is_atom(std::string_view text) {
  return text.empty() || web::decode_utf8(text).length == text.size() || std::ranges::all_of(text, is_word);
}

bool is_in_parentheses(std::string_view text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return false;
  }
  return true;
}

std::string grouped(const std::string& text) {
  return is_atom(text) || is_in_parentheses(text) ? text : "(" + text + ")";
}

// Invisible operators become what a reader would write.
std::string without_invisible(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> operators{{
      {"\u2061", " "},
      {"&#x2061;", " "},
      {"&#8289;", " "},
      {"&ApplyFunction;", " "},
      {"&af;", " "},
      {"\u2062", ""},
      {"&#x2062;", ""},
      {"&#8290;", ""},
      {"&InvisibleTimes;", ""},
      {"&it;", ""},
      {"\u2063", ","},
      {"&InvisibleComma;", ","},
  }};
  for (const auto& [from, to] : operators) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
  }
  return text;
}

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Base and scripts. An accent and a prime simply follow their base.
std::string with_scripts(std::string_view name, const std::vector<std::string>& parts) {
  if (parts.empty()) return {};
  std::string out = grouped(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto& part = parts[i];
    if (part.empty()) continue;
    const bool is_symbol =
        web::decode_utf8(part).length == part.size() && !is_digit(part[0]) && !web::is_letter(part[0]);
    const bool is_accent = part == "′" || part == "'" || (is_symbol && is_any_of(name, {"mover", "munder"}));
    const bool is_first_below = i == 1 && name != "msup" && name != "mover";
    out.append(is_accent ? "" : is_first_below ? "_" : "^").append(grouped(part));
  }
  return out;
}

// Parts side by side, apart where a script or fraction would swallow the next letter.
std::string side_by_side(const std::vector<std::string>& parts) {
  std::string out;
  bool swallows = false;
  for (const auto& part : parts) {
    if (swallows && !part.empty() && is_word(part.front())) out += ' ';
    out += part;
    swallows = part.size() > 1 && part.find_first_of("^_/") != part.npos;
  }
  return out;
}

// An element in a line, from its children in a line.
std::string in_line(std::string_view name, const std::vector<std::string>& parts) {
  if (is_any_of(name, {"annotation", "annotation-xml", "mphantom"})) return {};
  if (is_any_of(name, {"msup", "mover", "msub", "munder", "msubsup", "munderover"})) return with_scripts(name, parts);
  if (name == "mfrac" && parts.size() == 2) return grouped(parts[0]) + "/" + grouped(parts[1]);
  if (name == "msqrt") return "√" + grouped(side_by_side(parts));
  if (name == "mroot" && parts.size() == 2) return grouped(parts[0]) + "^(1/" + grouped(parts[1]) + ")";
  if (name == "mfenced") return "(" + web::join(parts, ",") + ")";
  if (name == "mtable") return web::join(parts, "; ");
  if (is_any_of(name, {"mtr", "mlabeledtr"})) return web::join(parts, ", ");
  if (name == "mspace") return " ";
  return side_by_side(parts);
}

}  // namespace

Script script_of(std::string_view after, std::string_view name, char before) {
  std::string text = text_within(after, name);
  for (std::size_t at = 0; (at = text.find("&nbsp;", at)) != text.npos;) text.replace(at, 6, " ");
  text = collapsed(text);
  if (text.empty() || text.size() > longest_script) return Script::plain;
  if (is_all_digits(text) && std::ranges::any_of(text, is_digit)) return Script::digits;
  if (before == ' ' || text.starts_with('[') || is_mark(text) || holds_words(text)) return Script::plain;
  const bool is_raised = web::equal_ignoring_case(name, "sup");
  const bool is_raised_word = std::ranges::any_of(
      raised_words, [&text](std::string_view word) { return web::equal_ignoring_case(text, word); });
  if (is_raised && (is_raised_word || is_ordinal(text, before))) return Script::plain;
  const bool is_simple = std::ranges::all_of(std::string_view(text).substr(text.front() == '-' ? 1 : 0), [](char c) {
    return is_word(c) || c == '.' || c == '&' || c == ';' || c == '#';
  });
  return is_simple ? Script::marked : Script::grouped;
}

std::string as_script_digits(std::string_view text, bool is_raised) {
  std::string out;
  while (!text.empty()) {
    const auto* digit = script_digit_at(text);
    if (digit) {
      out += is_raised ? digit->raised : digit->lowered;
    } else {
      out += text.front();
    }
    text.remove_prefix(digit ? digit->text.size() : 1);
  }
  return out;
}

void Formula::start(const Token& token) {
  if (token.self_closing) {
    if (web::equal_ignoring_case(token.name, "mspace")) text(" ");
    if (web::equal_ignoring_case(token.name, "none") && !open_.empty()) open_.back().parts.emplace_back();
    return;
  }
  if (open_.size() == deepest_formula) {
    ++too_deep_;
    return;
  }
  auto& node = open_.emplace_back();
  for (const char c : token.name) node.name += web::to_lower(c);
  if (node.name != "annotation") return;
  node.is_tex = std::ranges::any_of(token.attributes, [](const RawAttribute& attribute) {
    if (!web::equal_ignoring_case(attribute.name, "encoding")) return false;
    const auto value = attribute.value;
    return value.size() >= 3 && web::equal_ignoring_case(value.substr(value.size() - 3), "tex");
  });
}

void Formula::text(std::string_view text) {
  if (open_.empty() || bytes_ + text.size() > longest_formula) return;
  bytes_ += text.size();
  auto& node = open_.back();
  std::string words = node.is_tex ? std::string(text) : collapsed(without_invisible(std::string(text)));
  // A space alone is the name of an operator, such as that between a function and its argument.
  if (!node.is_tex && words.empty() && !is_any_of(node.name, {"mo", "mspace", "mtext"})) return;
  if (words.empty()) words = " ";
  if (node.is_tex && !node.parts.empty()) {
    node.parts.back() += words;
  } else {
    node.parts.push_back(std::move(words));
  }
}

void Formula::end(std::string_view name) {
  if (too_deep_ > 0) {
    --too_deep_;
    return;
  }
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [name](const Node& node) { return web::equal_ignoring_case(node.name, name); });
  if (found == open_.rend()) return;
  for (auto left = found - open_.rbegin() + 1; left > 0; --left) close_top();
}

void Formula::close_top() {
  Node node = std::move(open_.back());
  open_.pop_back();
  if (node.is_tex && tex_.empty()) tex_ = web::join(node.parts, "");
  std::string line = in_line(node.name, node.parts);
  if (is_any_of(node.name, {"annotation", "annotation-xml"})) return;
  if (open_.empty()) {
    text_ += line;
  } else {
    open_.back().parts.push_back(std::move(line));
  }
}

std::string Formula::take_tex() {
  while (!open_.empty()) close_top();
  return between_dollars(std::exchange(tex_, {}));
}

std::string Formula::take_text() {
  while (!open_.empty()) close_top();
  return collapsed(std::exchange(text_, {}));
}

std::string between_dollars(std::string_view tex) {
  constexpr std::string_view wrapping = "{\\displaystyle";
  std::string text = collapsed(tex);
  if (text.starts_with(wrapping) && text.ends_with('}')) {
    text = collapsed(std::string_view(text).substr(wrapping.size(), text.size() - wrapping.size() - 1));
  }
  if (text.empty() || text.size() > longest_tex) return {};
  return "$" + text + "$";
}

}  // namespace summarizer
