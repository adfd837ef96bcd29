#include "summarizer/markdown.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <vector>

#include "summarizer/dom.h"
#include "summarizer/guard.h"
#include "summarizer/markdown_text.h"
#include "summarizer/page_urls.h"
#include "summarizer/text.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

// Lists and quotations nested deeper are written flat, so that indentation does not multiply the text.
constexpr int max_nesting = 8;
constexpr std::size_t least_repeated = 60;  // bytes; shorter text may well be there twice
constexpr std::size_t max_cell = 300;       // characters; a table with a longer one is a layout

struct Block {
  std::string text;
  bool is_heading = false;
};
using Blocks = std::vector<Block>;

std::string join_blocks(const Blocks& blocks, std::string_view between) {
  std::string out;
  for (const auto& block : blocks) out.append(out.empty() ? "" : between).append(block.text);
  return out;
}

bool is_block(const GumboNode& node) {
  const auto* element = element_of(node);
  return element && breaks_text(*element) && element->tag != GUMBO_TAG_BR && element->tag != GUMBO_TAG_IMG;
}

// Contains blocks, or line breaks that may separate paragraphs.
bool has_block(const GumboNode& node, int depth = 0) {
  const auto* element = element_of(node);
  if (!element || depth == max_walk_depth) return false;
  const auto children = children_of(*element);
  if (std::ranges::count_if(children, [](const GumboNode* child) { return is(*child, GUMBO_TAG_BR); }) > 1) return true;
  return std::ranges::any_of(
      children, [depth](const GumboNode* child) { return is_block(*child) || has_block(*child, depth + 1); });
}

// "cpp" of class="highlight language-cpp", of the element or its first child.
std::string_view language_of(const GumboElement& element) {
  for (std::string_view classes = attribute(element, "class"); !classes.empty();) {
    const auto name = classes.substr(0, classes.find_first_of(" \t\r\n"));
    for (std::string_view prefix : {"language-", "lang-", "highlight-source-"}) {
      if (!name.starts_with(prefix)) continue;
      const auto language = name.substr(prefix.size());
      if (language.size() <= 20 && language.find_first_of("`~\\") == language.npos) return language;
    }
    classes.remove_prefix(std::min(name.size() + 1, classes.size()));
  }
  for (const GumboNode* child : children_of(element)) {
    if (is(*child, GUMBO_TAG_CODE)) return language_of(child->v.element);
  }
  return {};
}

// The gutter of a listing: an element of that name that holds numbers alone.
bool is_gutter(const GumboNode& node) {
  constexpr std::size_t longest_gutter = 100'000;
  const auto* element = element_of(node);
  if (!element) return false;
  std::string classes(attribute(*element, "class"));
  std::ranges::transform(classes, classes.begin(), web::to_lower);
  const bool is_named =
      std::ranges::any_of(std::initializer_list<std::string_view>{"lineno", "linenumber", "line-number", "line_number",
                                                                  "gutter", "blob-num", "ln-numbers"},
                          [&classes](auto name) { return classes.find(name) != classes.npos; });
  if (!is_named && classes != "lnt" && classes != "ln") return false;
  return readable_text(node, longest_gutter).find_first_not_of("0123456789 ") == std::string::npos;
}

void append_verbatim(const GumboNode& node, std::string& out) {
  walk(node, [&](const GumboNode& inner) {
    const auto* element = element_of(inner);
    if (!element) out += text_of(inner);
    if (element && element->tag == GUMBO_TAG_BR) out += '\n';
    return element && !is_unread(*element) && (&inner == &node || !is_gutter(inner));
  });
}

bool holds(const GumboNode& outer, GumboTag tag) {
  bool found = false;
  walk(outer, [&](const GumboNode& node) { return !(found = found || (&node != &outer && is(node, tag))); });
  return found;
}

// "1\n2\n3", perhaps from another number on.
bool counts_up(std::string_view text) {
  std::size_t lines = 0;
  unsigned long expected = 0;
  while (!text.empty()) {
    const auto line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    unsigned long number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc() || end != line.data() + line.size() || (lines > 0 && number != expected)) return false;
    expected = number + 1;
    ++lines;
  }
  return lines > 1;
}

// A cell of line numbers beside a cell with the code, named as one or not.
bool is_line_numbers(const GumboNode& node) {
  if (is_gutter(node)) return true;
  if (!is(node, GUMBO_TAG_PRE)) return false;
  const GumboNode* cell = node.parent;
  while (cell && !is(*cell, GUMBO_TAG_TD) && !is(*cell, GUMBO_TAG_TH)) cell = cell->parent;
  if (!cell || !cell->parent || !element_of(*cell->parent)) return false;
  const bool is_beside_code = std::ranges::any_of(children_of(cell->parent->v.element), [cell](const GumboNode* other) {
    return other != cell && holds(*other, GUMBO_TAG_PRE);
  });
  std::string numbers;
  if (is_beside_code) append_verbatim(node, numbers);
  while (!numbers.empty() && (numbers.back() == '\n' || numbers.back() == ' ')) numbers.pop_back();
  return counts_up(numbers);
}

std::string verbatim(const GumboNode& node) {
  std::string code;
  append_verbatim(node, code);
  for (std::size_t at = 0; (at = code.find("\u00ad", at)) != code.npos;) code.erase(at, 2);
  code.erase(0, code.find_first_not_of('\n'));
  code.erase(code.find_last_not_of(" \n") + 1);
  return code;
}

class Writer {
 public:
  Writer(const Article& article, const UrlResolver& urls, Style style, std::size_t max_bytes)
      : article_(article), urls_(urls), is_markdown_(style == Style::markdown), bytes_left_(max_bytes) {}

  std::string write() {
    Blocks blocks;
    write_children(article_.root().v.element, blocks, 0, 0);
    while (!blocks.empty() && blocks.back().is_heading) blocks.pop_back();
    return join_blocks(blocks, "\n\n");
  }

 private:
  void push(Blocks& blocks, std::string text, bool is_heading = false) {
    if (text.empty() || bytes_left_ == 0) return;
    bytes_left_ -= std::min(bytes_left_, text.size());
    blocks.push_back({.text = std::move(text), .is_heading = is_heading});
  }
  // Ends the paragraph of `parent` that `words` has collected. Text outside of <p> that was written before is left out:
  // galleries repeat their captions.
  void flush(std::string& words, Blocks& blocks, GumboTag parent) {
    while (!words.empty() && (words.back() == ' ' || words.back() == '\n' || words.ends_with("\\\n"))) {
      words.erase(words.size() - (words.ends_with("\\\n") ? 2 : 1));
    }
    std::string paragraph = std::exchange(words, {});
    if (parent != GUMBO_TAG_P && parent != GUMBO_TAG_LI && paragraph.size() >= least_repeated &&
        !written_.insert(paragraph).second) {
      return;
    }
    push(blocks, is_markdown_ ? escaped_start(std::move(paragraph)) : std::move(paragraph));
  }

  bool leaves_out(const GumboNode& node) const { return article_.leaves_out(node) || is_line_numbers(node); }

  // Text between blocks and text between two <br> becomes a paragraph.
  void write_children(const GumboElement& parent, Blocks& blocks, int depth, int nesting) {
    if (depth >= max_walk_depth || bytes_left_ == 0) return;
    std::string words;
    int breaks = 0;
    for (const GumboNode* child : children_of(parent)) {
      const auto* element = element_of(*child);
      if (element && leaves_out(*child)) {
        // A heading above a list of links goes with it.
        if (breaks_text(*element) && words.empty() && !blocks.empty() && blocks.back().is_heading &&
            article_.takes_heading(*child)) {
          blocks.pop_back();
        }
        continue;
      }
      if (element && element->tag == GUMBO_TAG_BR) {
        if (++breaks == 2) flush(words, blocks, parent.tag);
        if (breaks == 1 && !words.empty()) words += is_markdown_ ? "\\\n" : "\n";
        continue;
      }
      if (!element && breaks > 0 && collapsed(text_of(*child), 1).empty()) continue;
      breaks = 0;
      if (is_block(*child) || (element && has_block(*child))) {
        flush(words, blocks, parent.tag);
        write_block(*child, blocks, depth + 1, nesting);
      } else {
        write_inline(*child, words, depth + 1);
      }
    }
    flush(words, blocks, parent.tag);
  }

  void write_block(const GumboNode& node, Blocks& blocks, int depth, int nesting) {
    const auto& element = node.v.element;
    switch (element.tag) {
      case GUMBO_TAG_H1:
      case GUMBO_TAG_H2:
      case GUMBO_TAG_H3:
      case GUMBO_TAG_H4:
      case GUMBO_TAG_H5:
      case GUMBO_TAG_H6: {
        if (has_block(node)) break;  // never closed: the text is in it
        std::string text = flat(element, depth);
        if (text.empty()) return;
        if (is_markdown_) text.insert(0, std::string(std::size_t(element.tag - GUMBO_TAG_H1 + 1), '#') + " ");
        return push(blocks, std::move(text), true);
      }
      case GUMBO_TAG_UL:
      case GUMBO_TAG_OL:
        if (nesting == max_nesting) break;
        return write_list(element, blocks, depth, nesting);
      case GUMBO_TAG_BLOCKQUOTE:
        if (nesting == max_nesting || !is_markdown_) break;
        return write_quotation(element, blocks, depth, nesting);
      case GUMBO_TAG_PRE:
      case GUMBO_TAG_LISTING: {
        const std::string code = verbatim(node);
        if (code.empty()) return;
        return push(blocks, is_markdown_ ? code_block(code, language_of(element)) : code);
      }
      case GUMBO_TAG_TABLE:
        if (write_table(element, blocks, depth)) return;
        break;
      case GUMBO_TAG_DT: {
        const std::string term = flat(element, depth);
        return push(blocks, is_markdown_ ? marked(term, "**") : term);
      }
      case GUMBO_TAG_HR:
        if (is_markdown_ && !blocks.empty()) push(blocks, "---");
        return;
      default:
        break;
    }
    write_children(element, blocks, depth, nesting);
  }

  void write_list(const GumboElement& list, Blocks& blocks, int depth, int nesting) {
    const bool ordered = list.tag == GUMBO_TAG_OL;
    int number = 1;
    Blocks items;
    bool loose = false;
    for (const GumboNode* child : children_of(list)) {
      const auto* element = element_of(*child);
      if (!element || leaves_out(*child)) continue;
      Blocks inner;
      if (element->tag == GUMBO_TAG_LI) {
        write_children(*element, inner, depth + 1, nesting + 1);
      } else {
        write_block(*child, inner, depth + 1, nesting + 1);
      }
      if (inner.empty()) continue;
      const bool paragraphs = inner.size() > 1 && !(inner.size() == 2 && starts_list(inner[1].text));
      loose = loose || paragraphs;
      const std::string text = join_blocks(inner, paragraphs ? "\n\n" : "\n");
      const std::string marker = ordered ? std::to_string(number++) + ". " : "- ";
      items.push_back({.text = is_markdown_ ? indented(text, marker, std::string(marker.size(), ' ')) : text});
    }
    // The numbering continues.
    if (!items.empty()) blocks.push_back({.text = join_blocks(items, loose ? "\n\n" : "\n")});
  }
  static bool starts_list(std::string_view text) { return text.starts_with("- ") || text.starts_with("1. "); }

  void write_quotation(const GumboElement& element, Blocks& blocks, int depth, int nesting) {
    Blocks inner;
    write_children(element, inner, depth, nesting + 1);
    if (!inner.empty()) blocks.push_back({.text = indented(join_blocks(inner, "\n\n"), "> ", "> ")});
  }

  // A listing with a row for each line: the number, then the code. Empty if the table is none.
  static std::string numbered_lines(const GumboElement& part, int depth) {
    std::string code;
    for (const GumboNode* child : children_of(part)) {
      const auto* element = element_of(*child);
      if (!element || depth == max_walk_depth) continue;
      if (element->tag == GUMBO_TAG_TBODY) {
        code += numbered_lines(*element, depth + 1);
      } else if (element->tag == GUMBO_TAG_TR) {
        std::vector<const GumboNode*> cells;
        for (const GumboNode* cell : children_of(*element)) {
          if (element_of(*cell)) cells.push_back(cell);
        }
        if (cells.size() < 2 || !is_gutter(*cells[0]) || holds(*cells[0], GUMBO_TAG_PRE)) return {};
        for (std::size_t i = 1; i < cells.size(); ++i) {
          if (holds(*cells[i], GUMBO_TAG_PRE)) return {};
          if (!is_gutter(*cells[i])) append_verbatim(*cells[i], code);
        }
        if (!code.ends_with('\n')) code += '\n';
      }
    }
    return code;
  }

  // False for a layout table.
  bool write_table(const GumboElement& table, Blocks& blocks, int depth) {
    if (std::string code = numbered_lines(table, depth); !code.empty()) {
      code.pop_back();
      push(blocks, is_markdown_ ? code_block(code, language_of(table)) : code);
      return true;
    }
    std::vector<std::vector<std::string>> rows;
    std::size_t columns = 0;
    if (web::equal_ignoring_case(attribute(table, "role"), "presentation") || !read_rows(table, rows, depth))
      return false;
    for (const auto& row : rows) columns = std::max(columns, row.size());
    if (rows.size() < 2 || columns < 2) return false;
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].resize(columns);
      std::string line;
      for (const auto& cell : rows[i]) line += is_markdown_ ? "| " + cell + " " : (line.empty() ? "" : "\t") + cell;
      text.append(text.empty() ? "" : "\n").append(line).append(is_markdown_ ? "|" : "");
      if (i == 0 && is_markdown_) {
        text += '\n';
        for (std::size_t column = 0; column < columns; ++column) text += "| --- ";
        text += '|';
      }
    }
    push(blocks, std::move(text));
    return true;
  }
  // False if a cell contains a table or more text than a cell of data.
  bool read_rows(const GumboElement& part, std::vector<std::vector<std::string>>& rows, int depth) {
    for (const GumboNode* child : children_of(part)) {
      const auto* element = element_of(*child);
      if (!element || leaves_out(*child)) continue;
      if (element->tag == GUMBO_TAG_TBODY || element->tag == GUMBO_TAG_THEAD || element->tag == GUMBO_TAG_TFOOT) {
        if (!read_rows(*element, rows, depth + 1)) return false;
      } else if (element->tag == GUMBO_TAG_TR) {
        auto& row = rows.emplace_back();
        for (const GumboNode* cell : children_of(*element)) {
          if (!is(*cell, GUMBO_TAG_TD) && !is(*cell, GUMBO_TAG_TH)) continue;
          if (readable_text(*cell, max_cell + 1).size() > max_cell || holds(*cell, GUMBO_TAG_TABLE)) return false;
          row.push_back(flat(cell->v.element, depth + 2));
        }
        if (std::ranges::all_of(row, [](const auto& cell) { return cell.empty(); })) rows.pop_back();
      }
    }
    return true;
  }

  // The whole content as one line.
  std::string flat(const GumboElement& element, int depth) {
    std::string words;
    for (const GumboNode* child : children_of(element)) write_inline(*child, words, depth + 1);
    for (std::size_t at = 0; is_markdown_ && (at = words.find("\\\n", at)) != words.npos;) words.erase(at, 1);
    return collapsed(words);
  }

  void write_inline(const GumboNode& node, std::string& words, int depth) {
    const auto* element = element_of(node);
    if (!element) return append_words(words, text_of(node), is_markdown_);
    if (depth >= max_walk_depth || is_unread(*element) || leaves_out(node)) return;
    if (element->tag == GUMBO_TAG_BR) {
      words += words.empty() || words.back() == '\n' ? "" : is_markdown_ ? "\\\n" : "\n";
      return;
    }
    if (element->tag == GUMBO_TAG_IMG) {
      if (is_markdown_) write_image(node, words);
      return;
    }
    if (breaks_text(*element)) append_words(words, " ", false);
    std::string inner;
    if (is_markdown_ && is_code(element->tag)) {
      append_verbatim(node, inner);
      words += code_span(collapsed(inner));
      return;
    }
    if (is_named(*element, tex_element)) {
      words += readable_text(node, std::string::npos);
      return;
    }
    // White space before the element determines white space at its start.
    const bool after_space = words.empty() || words.back() == ' ' || words.back() == '\n';
    if (!after_space) inner += '\x01';
    for (const GumboNode* child : children_of(*element)) write_inline(*child, inner, depth + 1);
    if (!after_space) inner.erase(0, 1);
    words += is_markdown_ ? decorated(*element, std::move(inner)) : inner;
    if (breaks_text(*element)) append_words(words, " ", false);
  }

  static bool is_code(GumboTag tag) {
    return tag == GUMBO_TAG_CODE || tag == GUMBO_TAG_KBD || tag == GUMBO_TAG_SAMP || tag == GUMBO_TAG_TT;
  }

  std::string decorated(const GumboElement& element, std::string inner) const {
    switch (element.tag) {
      case GUMBO_TAG_STRONG:
      case GUMBO_TAG_B:
        return marked(inner, "**");
      case GUMBO_TAG_EM:
      case GUMBO_TAG_I:
      case GUMBO_TAG_CITE:
        return marked(inner, "*");
      case GUMBO_TAG_DEL:
      case GUMBO_TAG_S:
      case GUMBO_TAG_STRIKE:
        return marked(inner, "~~");
      case GUMBO_TAG_A: {
        const auto url = urls_.absolute(attribute(element, "href"));
        return url && !collapsed(inner, 1).empty() ? link(inner, *url) : inner;
      }
      default:
        return inner;
    }
  }
  // White space at both ends is kept outside.
  static std::string link(std::string_view text, const std::string& url) {
    const auto first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n") + 1;
    std::string out(text.substr(0, first));
    out.append("[").append(text.substr(first, last - first)).append("](").append(destination(url)).append(")");
    return out.append(text.substr(last));
  }
  // Parentheses would end the address.
  static std::string destination(const std::string& url) {
    return url.find_first_of("()") == url.npos ? url : "<" + url + ">";
  }
  void write_image(const GumboNode& node, std::string& words) const {
    const auto src = image_address(node, urls_);
    if (!src) return;
    std::string alt;
    append_words(alt, attribute(node.v.element, "alt"), true);
    words += "![" + collapsed(alt) + "](" + destination(*src) + ")";
  }

  const Article& article_;
  const UrlResolver& urls_;
  const bool is_markdown_;
  std::size_t bytes_left_;
  std::unordered_set<std::string> written_;  // long paragraphs outside of <p>
};

}  // namespace

std::string render(const Article& article, const UrlResolver& urls, Style style, std::size_t max_bytes) {
  return Writer(article, urls, style, max_bytes).write();
}

}  // namespace summarizer
