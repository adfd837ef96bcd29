#include "summarizer/guard.h"

#include <gumbo.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>
#include <vector>

#include "summarizer/notation.h"
#include "summarizer/text.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

// A set of tags by name. Names unknown to gumbo are ignored.
class Tags {
 public:
  Tags(std::string_view names = {}) {
    while (!names.empty()) {
      const auto name = names.substr(0, names.find(' '));
      const GumboTag tag = gumbo_tagn_enum(name.data(), unsigned(name.size()));
      if (tag != GUMBO_TAG_UNKNOWN) bits_.set(tag);
      names.remove_prefix(std::min(name.size() + 1, names.size()));
    }
  }
  bool has(GumboTag tag) const { return bits_[tag]; }
  friend Tags operator|(Tags a, const Tags& b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  std::bitset<GUMBO_TAG_LAST + 1> bits_;
};

// Elements whose content is neither markup nor text for readers.
const Tags dropped_with_content("script style iframe noembed noframes");
const Tags dropped_tags("frame frameset plaintext xmp isindex");
const Tags once("html head body");  // and never closed: following content still belongs to them
const Tags skipped_subtrees("svg math template");
const Tags empty_elements(
    "area base basefont bgsound br col embed hr img image input keygen link meta param source track wbr");
const Tags heading_tags("h1 h2 h3 h4 h5 h6");

// An end tag does not close elements outside of these.
const Tags scopes("table caption td th applet marquee object");
const Tags button_scopes = scopes | Tags("button");
const Tags select_scopes = scopes | Tags("select");
const Tags no_scopes, table_only("table");
const Tags block_tags = heading_tags | Tags(
                                           "address article aside blockquote center details dir div dl dd dt fieldset "
                                           "figcaption figure footer form header "
                                           "hgroup hr li listing main menu nav ol p pre section summary table ul");
// A list item ends the one before it unless one of these lies between.
const Tags list_scopes =
    scopes | heading_tags |
    Tags(
        "ul ol menu dir dl blockquote article section aside nav main header footer details figure center fieldset form "
        "pre listing button select figcaption summary");

const Tags rows_belong_in("tbody thead tfoot table");
const Tags cells_belong_in = rows_belong_in | Tags("tr");
const Tags columns_belong_in("colgroup table");
const Tags table_parts = cells_belong_in | Tags("caption colgroup");

// Elements that the parser reopens, so an end tag closes them anywhere.
const Tags formatting("a b big code em font i nobr s small strike strong tt u");
// HTML elements that end foreign content.
const Tags breaks_out = block_tags | formatting | Tags("body br embed head img meta ruby span sub sup var");

const Tags list_item_tags("li"), definition_tags("dd dt"), link_tags("a"), nobr_tags("nobr"), button_tags("button"),
    paragraph_tags("p"), option_tags("option"), option_group_tags("optgroup option"), select_tags("select");

constexpr std::size_t max_name = 64;

bool is_hex_reference(std::string_view reference) { return reference.size() > 2 && web::to_lower(reference[2]) == 'x'; }
// Of the numeric character reference that `text` starts with ("&#38;", "&#x26").
std::size_t size_of_reference(std::string_view text) {
  const std::string_view digits = is_hex_reference(text) ? "0123456789abcdefABCDEF" : "0123456789";
  const auto end = text.find_first_not_of(digits, is_hex_reference(text) ? 3 : 2);
  if (end == text.npos) return text.size();
  return text[end] == ';' ? end + 1 : end;
}
// gumbo adds up the digits of a reference in an int, which overflows with more digits.
bool is_beyond_unicode(std::string_view reference) {
  const auto first = reference.find_first_not_of('0', is_hex_reference(reference) ? 3 : 2);
  if (first == reference.npos) return false;
  const auto digits = reference.size() - first - (reference.ends_with(';') ? 1 : 0);
  return digits > (is_hex_reference(reference) ? 6u : 7u);
}

struct Open {
  GumboTag tag;
  std::string_view name;  // distinguishes unknown tags
  bool written = true;
  bool silent = false;
  Script script = Script::plain;

  bool is(const Open& other) const {
    return tag == other.tag && (tag != GUMBO_TAG_UNKNOWN || web::equal_ignoring_case(name, other.name));
  }
};

std::string_view value_of(const Token& token, std::string_view name) {
  const auto found = std::ranges::find_if(
      token.attributes, [name](const RawAttribute& each) { return web::equal_ignoring_case(each.name, name); });
  return found == token.attributes.end() ? std::string_view() : found->value;
}

bool is_shadow_root(const Token& token) {
  const auto mode = value_of(token, "shadowrootmode");
  return web::equal_ignoring_case(mode, "open") || web::equal_ignoring_case(mode, "closed");
}

// A picture of a formula, whose alternative text is TeX: Wikipedia's and WordPress's.
bool shows_tex(const Token& token) {
  const auto classes = value_of(token, "class");
  return classes.starts_with("mwe-math-fallback-image") || classes == "latex" || classes == "tex";
}

std::string with_escaped_ampersands(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '&' ? "&amp;" : std::string_view(&c, 1));
  return out;
}

class Guard {
 public:
  Guard(std::string_view html, Sink& sink, const Caps& caps)
      : scanner_(html.substr(0, caps.bytes), caps.attributes, caps.attribute_value), caps_(caps), sink_(sink) {}

  void run() {
    while (sink_.size() < caps_.bytes && scanner_.next()) {
      const Token& token = scanner_.token();
      if (token.kind == Token::Kind::text) {
        text(token.text);
        continue;
      }
      if (token.name.size() > max_name) continue;
      const Open element{gumbo_tagn_enum(token.name.data(), unsigned(token.name.size())), token.name};
      if (token.kind == Token::Kind::end_tag) {
        end_tag(element);
      } else {
        if (tags_++ == caps_.tags) break;
        start_tag(element, token);
      }
    }
    while (!open_.empty()) close_top();
  }

 private:
  bool skipping() const { return skip_depth_ > 0; }
  bool is_in_formula() const { return skipping() && skipped_ == GUMBO_TAG_MATH; }

  void text(std::string_view text) {
    if (is_in_formula()) return formula_.text(text);
    if (skipping() || silent_ > 0 || text.empty()) return;
    last_ = text.back();
    is_after_formula_ = false;
    if (digit_scripts_ == 0) return sink_.text(text);
    sink_.text(as_script_digits(text, digits_are_raised_));
  }

  // Skips everything up to the end tag that belongs to this one.
  void skip(GumboTag tag) {
    skipped_ = tag;
    skip_depth_ = 1;
  }
  void end_skip() {
    skip_depth_ = 0;
    if (skipped_ != GUMBO_TAG_MATH) return;
    const auto tex = formula_.take_tex(), line = formula_.take_text();
    if (silent_ > 0) return;
    if (tex.empty()) {
      text(line);
    } else {
      write_tex(tex);
    }
    is_after_formula_ = true;
  }

  // `tex` with unresolved character references.
  void write_tex(std::string_view tex) {
    if (tex.empty() || silent_ > 0) return;
    Token element;
    element.kind = Token::Kind::start_tag;
    element.name = tex_element;
    sink_.start(GUMBO_TAG_UNKNOWN, element);
    sink_.text(tex);
    sink_.end(GUMBO_TAG_UNKNOWN, tex_element);
    last_ = '$';
  }

  void start_tag(const Open& element, const Token& token) {
    const GumboTag tag = element.tag;
    const bool in_foreign = skipping() && (skipped_ == GUMBO_TAG_SVG || skipped_ == GUMBO_TAG_MATH);
    if (dropped_with_content.has(tag)) {
      if (in_foreign && token.self_closing) return;
      const auto raw = scanner_.raw_text(token.name);
      const bool is_tex = tag == GUMBO_TAG_SCRIPT && value_of(token, "type").starts_with("math/tex");
      if (is_tex && !skipping()) write_tex(between_dollars(with_escaped_ampersands(raw)));
      return;
    }
    if (skipping()) {
      if (tag == skipped_ && !token.self_closing) ++skip_depth_;
      const bool ends_skip = skipped_ == GUMBO_TAG_SPAN ? block_tags.has(tag) : in_foreign && breaks_out.has(tag);
      if (!ends_skip) return is_in_formula() && tag != GUMBO_TAG_MATH ? formula_.start(token) : void();
      end_skip();
    }
    if (skipped_subtrees.has(tag)) {
      if (tag == GUMBO_TAG_TEMPLATE && is_shadow_root(token) && open_.size() < caps_.depth)
        return open({.tag = tag, .name = element.name, .written = false});
      if (tag == GUMBO_TAG_TEMPLATE || !token.self_closing) skip(tag);
      if (is_in_formula()) formula_.start(token);
      return;
    }
    if (dropped_tags.has(tag)) return;
    if (tag == GUMBO_TAG_UNKNOWN && web::equal_ignoring_case(token.name, tex_element)) return;
    // KaTeX writes a formula twice: as <math>, and for the eye.
    if (tag == GUMBO_TAG_SPAN && is_after_formula_ && value_of(token, "class") == "katex-html") return skip(tag);
    if (tag == GUMBO_TAG_IMG && shows_tex(token)) {
      return write_tex(between_dollars(value_of(token, "alt")));
    }
    if (block_tags.has(tag) || tag == GUMBO_TAG_BR || tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH) last_ = ' ';
    if (once.has(tag)) {
      if (std::exchange(seen_[tag == GUMBO_TAG_HTML ? 0 : tag == GUMBO_TAG_HEAD ? 1 : 2], true)) return;
      return sink_.start(tag, token);
    }
    if (tag == GUMBO_TAG_TITLE || tag == GUMBO_TAG_TEXTAREA) {
      const auto text = scanner_.raw_text(token.name);
      if (silent_ > 0) return;
      sink_.start(tag, token);
      sink_.text(text);
      return sink_.end(tag, element.name);
    }
    if (!make_room_for(tag)) return;
    if (empty_elements.has(tag)) return sink_.start(tag, token);
    if (open_.size() >= caps_.depth) {
      ++too_deep_;
      return;
    }
    if (tag == GUMBO_TAG_NOSCRIPT) {
      if (caps_.has_noscript) return;
      ++silent_;
      return open({.tag = tag, .name = element.name, .written = false, .silent = true});
    }
    sink_.start(tag, token);
    if (tag == GUMBO_TAG_SUP || tag == GUMBO_TAG_SUB) return open_script(element);
    open(element);
  }

  void open_script(Open element) {
    const bool is_raised = element.tag == GUMBO_TAG_SUP;
    element.script = silent_ > 0 ? Script::plain : script_of(scanner_.rest(), element.name, last_);
    if (element.script == Script::digits) {
      ++digit_scripts_;
      digits_are_raised_ = is_raised;
    } else if (element.script != Script::plain) {
      sink_.text(is_raised ? "^" : "_");
      if (element.script == Script::grouped) sink_.text("(");
    }
    open(element);
  }

  void open(const Open& element) {
    open_.push_back(element);
    ++open_count_[element.tag];
  }

  void end_tag(const Open& element) {
    if (skipping()) {
      if (element.tag == skipped_ && skip_depth_ == 1) {
        end_skip();
      } else if (element.tag == skipped_) {
        --skip_depth_;
      } else if (is_in_formula()) {
        formula_.end(element.name);
      }
      return;
    }
    if (block_tags.has(element.tag)) last_ = ' ';
    if (element.tag == GUMBO_TAG_BR) {
      Token line_break;
      line_break.kind = Token::Kind::start_tag;
      line_break.name = "br";
      return sink_.start(GUMBO_TAG_BR, line_break);
    }
    if (once.has(element.tag) || empty_elements.has(element.tag)) return;
    if (too_deep_ > 0) {
      --too_deep_;
      return;
    }
    if (open_count_[element.tag] == 0 && !heading_tags.has(element.tag)) return;
    const Tags& barrier = element.tag == GUMBO_TAG_TABLE ? no_scopes
                          : table_parts.has(element.tag) ? table_only
                                                         : scopes;
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (open_[i].is(element) || (heading_tags.has(element.tag) && heading_tags.has(open_[i].tag)))
        return close_down_to(i);
      if (barrier.has(open_[i].tag)) return;
      // Only an element that the parser would reopen, or a block, is closed across a block.
      if (block_tags.has(open_[i].tag) && !block_tags.has(element.tag) && !formatting.has(element.tag)) {
        return;
      }
    }
  }

  // Closes the elements that the start of `tag` closes in a browser. False if the tag is not allowed here.
  bool make_room_for(GumboTag tag) {
    switch (tag) {
      case GUMBO_TAG_TD:
      case GUMBO_TAG_TH:
        return close_down_into(cells_belong_in);
      case GUMBO_TAG_TR:
        return close_down_into(rows_belong_in);
      case GUMBO_TAG_TBODY:
      case GUMBO_TAG_THEAD:
      case GUMBO_TAG_TFOOT:
      case GUMBO_TAG_CAPTION:
      case GUMBO_TAG_COLGROUP:
        return close_down_into(table_only);
      case GUMBO_TAG_COL:
        return close_down_into(columns_belong_in);
      case GUMBO_TAG_LI:
        close_in_scope(list_item_tags, list_scopes);
        break;
      case GUMBO_TAG_DD:
      case GUMBO_TAG_DT:
        close_in_scope(definition_tags, list_scopes);
        break;
      case GUMBO_TAG_A:
        close_in_scope(link_tags, scopes);
        break;
      case GUMBO_TAG_NOBR:
        close_in_scope(nobr_tags, scopes);
        break;
      case GUMBO_TAG_BUTTON:
        close_in_scope(button_tags, scopes);
        break;
      case GUMBO_TAG_OPTION:
        close_in_scope(option_tags, select_scopes);
        break;
      case GUMBO_TAG_OPTGROUP:
        close_in_scope(option_group_tags, select_scopes);
        break;
      case GUMBO_TAG_SELECT:
      case GUMBO_TAG_INPUT:
        close_in_scope(select_tags, scopes);
        break;
      default:
        break;
    }
    if (block_tags.has(tag)) close_in_scope(paragraph_tags, button_scopes);
    if (heading_tags.has(tag) && !open_.empty() && heading_tags.has(open_.back().tag)) close_top();
    return true;
  }

  void close_in_scope(const Tags& tags, const Tags& barrier) {
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (tags.has(open_[i].tag)) return close_down_to(i);
      if (barrier.has(open_[i].tag)) return;
    }
  }
  bool close_down_into(const Tags& parents) {
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (!parents.has(open_[i].tag)) continue;
      close_down_to(i + 1);
      return true;
    }
    return false;
  }
  void close_down_to(std::size_t size) {
    while (open_.size() > size) close_top();
  }
  void close_top() {
    const Open& top = open_.back();
    if (top.script == Script::digits) --digit_scripts_;
    if (top.script == Script::grouped) sink_.text(")");
    if (top.written) sink_.end(top.tag, top.name);
    if (top.silent) --silent_;
    --open_count_[top.tag];
    open_.pop_back();
  }

  Scanner scanner_;
  const Caps& caps_;
  Sink& sink_;
  std::vector<Open> open_;
  std::array<std::size_t, GUMBO_TAG_LAST + 1> open_count_{};  // of each tag in open_
  std::size_t tags_ = 0;
  std::size_t too_deep_ = 0;  // open elements beyond the depth cap, whose end tags are still to come
  std::size_t silent_ = 0;    // open <noscript>s: their text is ignored, their pictures are not
  GumboTag skipped_ = GUMBO_TAG_UNKNOWN;
  std::size_t skip_depth_ = 0;  // of `skipped_` within itself
  bool seen_[3] = {};
  Formula formula_;                // the <math> that is skipped
  bool is_after_formula_ = false;  // no text has followed it yet
  char last_ = ' ';                // of the text before, a space at the start of a block
  std::size_t digit_scripts_ = 0;  // open ones
  bool digits_are_raised_ = false;
};

class Markup : public Sink {
 public:
  explicit Markup(std::size_t bytes) {
    out_.reserve(bytes + 1024);
    out_ = "<!DOCTYPE html>";
  }

  void start(GumboTag, const Token& token) override {
    out_ += '<';
    out_ += token.name;
    for (const auto& [name, value] : token.attributes) {
      if (name.size() > max_name || name.find_first_of("\"'<=") != name.npos) continue;
      out_ += ' ';
      out_ += name;
      out_ += "=\"";
      write_escaped(value, '"', "&quot;");
      out_ += '"';
    }
    out_ += '>';
  }
  void end(GumboTag tag, std::string_view name) override {
    // gumbo puts text that a form's end tag follows at once behind the form; a comment makes it write the text before.
    if (tag == GUMBO_TAG_FORM) out_ += "<!---->";
    out_ += "</";
    out_ += name;
    out_ += '>';
  }
  // A '<' in text must not form a tag with the following output.
  void text(std::string_view text) override { write_escaped(text, '<', "&lt;"); }
  std::size_t size() const override { return out_.size(); }

  std::string take() { return std::move(out_); }

 private:
  void write_escaped(std::string_view text, char c, std::string_view escaped) {
    for (std::size_t at; (at = text.find("&#")) != text.npos;) {
      write_replaced(text.substr(0, at), c, escaped);
      text.remove_prefix(at);
      const auto reference = text.substr(0, size_of_reference(text));
      out_ += is_beyond_unicode(reference) ? replacement_character : reference;
      text.remove_prefix(reference.size());
    }
    write_replaced(text, c, escaped);
  }
  void write_replaced(std::string_view text, char c, std::string_view replacement) {
    for (std::size_t at; (at = text.find(c)) != text.npos; text.remove_prefix(at + 1)) {
      out_ += text.substr(0, at);
      out_ += replacement;
    }
    out_ += text;
  }

  std::string out_;
};

}  // namespace

bool is_left_open(GumboTag tag) { return once.has(tag) || empty_elements.has(tag); }

void guard(std::string_view html, Sink& sink, const Caps& caps) { Guard(html, sink, caps).run(); }

std::string guarded(std::string_view html, const Caps& caps) {
  Markup markup(std::min(html.size(), caps.bytes));
  guard(html, markup, caps);
  return markup.take();
}

}  // namespace summarizer
