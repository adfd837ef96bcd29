#include "appliance/hosting/channels/markup.h"

#include <algorithm>

#include "appliance/hosting/channels/inline_markup.h"
#include "web/ascii.h"
#include "web/markup.h"
#include "web/utf8.h"

namespace channels {

namespace {

struct Block {
  enum class Kind { text, heading, item, quote, code, rule };
  Kind kind = Kind::text;
  std::string text;        // without the mark; of code the lines, each with its line feed
  std::string mark;        // of an item, as it is written: "- " or "2. "; of code the language
  std::size_t indent = 0;  // of an item: spaces before it
};

bool is_fence(std::string_view line) {
  const auto text = web::trim(line);
  return text.starts_with("```") || text.starts_with("~~~");
}

bool is_rule(std::string_view line) {
  const auto text = web::trim(line);
  return text.size() >= 3 && (text.find_first_not_of('-') == text.npos || text.find_first_not_of('*') == text.npos);
}

// The length of "- ", "* ", "+ " or "12. " at the start; 0: no item.
std::size_t item_mark(std::string_view text) {
  if (text.size() >= 2 && (text[0] == '-' || text[0] == '*' || text[0] == '+') && text[1] == ' ') return 2;
  const auto digits = text.find_first_not_of("0123456789");
  const bool is_numbered = digits != text.npos && digits > 0 && digits <= 9 && text.size() > digits + 1 &&
                           (text[digits] == '.' || text[digits] == ')') && text[digits + 1] == ' ';
  return is_numbered ? digits + 2 : 0;
}

Block read_line(std::string_view line) {
  const auto text = web::trim(line);
  Block block;
  if (is_rule(line)) {
    block.kind = Block::Kind::rule;
  } else if (const auto hashes = text.find_first_not_of('#');
             hashes != text.npos && hashes > 0 && hashes <= 6 && text[hashes] == ' ') {
    block.kind = Block::Kind::heading;
    block.text = web::trim(text.substr(hashes));
  } else if (text.starts_with('>')) {
    block.kind = Block::Kind::quote;
    block.text = web::trim(text.substr(1));
  } else if (const auto mark = item_mark(text)) {
    block.kind = Block::Kind::item;
    block.indent = std::min<std::size_t>(line.find_first_not_of(" \t"), 12);
    block.mark = text.substr(0, mark);
    block.text = text.substr(mark);
  } else {
    block.text = line;
  }
  return block;
}

// A block a line, but for code. A code block without an end goes to the end of the text.
std::vector<Block> parse_blocks(std::string_view markdown) {
  std::vector<Block> blocks;
  bool is_code = false;
  while (!markdown.empty()) {
    auto line = web::first_line(markdown);
    markdown.remove_prefix(std::min(line.size() + 1, markdown.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_fence(line) && (!is_code || web::trim(line).find_first_not_of("`~") == line.npos)) {
      is_code = !is_code;
      if (is_code) {
        const auto text = web::trim(line);
        const auto language = web::trim(text.substr(std::min(text.size(), text.find_first_not_of("`~"))));
        blocks.push_back({.kind = Block::Kind::code, .text = {}, .mark = std::string(language)});
      }
    } else if (is_code) {
      blocks.back().text.append(line).append("\n");
    } else {
      blocks.push_back(read_line(line));
    }
  }
  return blocks;
}

// Writes spans and blocks in one of the forms.
class Writer {
 public:
  explicit Writer(Format format) : format_(format) {}

  std::string write(const std::vector<Block>& blocks) {
    for (std::size_t at = 0; at < blocks.size(); ++at) {
      if (at > 0 && !joins(blocks[at - 1], blocks[at])) out_ += line_feed();
      write(blocks, at);
    }
    return std::move(out_);
  }

 private:
  bool is_html() const { return format_ == Format::telegram_html || format_ == Format::matrix_html; }
  std::string line_feed() const { return format_ == Format::matrix_html ? "<br>" : "\n"; }
  // Lines of a quote are one element in HTML.
  bool joins(const Block& before, const Block& after) const {
    return is_html() && before.kind == Block::Kind::quote && after.kind == Block::Kind::quote;
  }
  std::string escaped(std::string_view text) const {
    return is_html() || format_ == Format::mrkdwn ? web::escape_markup(text) : std::string(text);
  }

  void write(const std::vector<Block>& blocks, std::size_t at) {
    const auto& block = blocks[at];
    switch (block.kind) {
      case Block::Kind::rule:
        out_ += "———";
        break;
      case Block::Kind::code:
        write_code(block);
        break;
      case Block::Kind::heading:
        enclose(Span::Kind::bold, [&] { write(parse_inline(block.text)); });
        break;
      case Block::Kind::quote:
        write_quote(blocks, at);
        break;
      case Block::Kind::item:
        out_.append(block.indent, ' ');
        out_ += web::is_digit(block.mark[0]) ? block.mark : "• ";
        write(parse_inline(block.text));
        break;
      case Block::Kind::text:
        write(parse_inline(block.text));
        break;
    }
  }

  void write_code(const Block& block) {
    auto text = std::string_view(block.text);
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (is_html()) {
      const auto is_name = !block.mark.empty() && std::all_of(block.mark.begin(), block.mark.end(), [](char c) {
        return web::is_alphanumeric(c) || c == '-' || c == '+' || c == '_' || c == '#';
      });
      out_ += is_name ? "<pre><code class=\"language-" + block.mark + "\">" : std::string("<pre><code>");
      out_ += escaped(text) + "</code></pre>";
    } else if (format_ == Format::mrkdwn || format_ == Format::whatsapp) {
      out_ += "```\n" + escaped(text) + "\n```";
    } else {
      out_ += text;
    }
  }

  void write_quote(const std::vector<Block>& blocks, std::size_t at) {
    const bool is_first = at == 0 || blocks[at - 1].kind != Block::Kind::quote;
    const bool is_last = at + 1 == blocks.size() || blocks[at + 1].kind != Block::Kind::quote;
    if (!is_html())
      out_ += "> ";
    else
      out_ += is_first ? std::string("<blockquote>") : line_feed();
    write(parse_inline(blocks[at].text));
    if (is_html() && is_last) out_ += "</blockquote>";
  }

  void write(const std::vector<Span>& spans) {
    for (const auto& span : spans) {
      if (span.kind == Span::Kind::text)
        out_ += escaped(span.text);
      else if (span.kind == Span::Kind::link)
        write_link(span);
      else
        enclose(span.kind, [&] {
          if (span.kind == Span::Kind::code)
            out_ += escaped(span.text);
          else
            write(span.children);
        });
    }
  }

  void write_link(const Span& span) {
    if (!is_web_address(span.target)) return write(span.children);
    if (is_html()) {
      out_ += "<a href=\"" + web::escape_attribute(span.target) + "\">";
      write(span.children);
      out_ += "</a>";
      return;
    }
    if (format_ == Format::mrkdwn && span.target.find_first_of("|>") == std::string::npos) {
      out_ += "<" + escaped(span.target) + "|" + escaped(text_of(span.children)) + ">";
      return;
    }
    const bool is_bare = span.children.size() == 1 && span.children[0].text == span.target;
    if (is_bare) {
      out_ += escaped(span.target);
    } else {
      write(span.children);
      out_ += " (" + escaped(span.target) + ")";
    }
  }

  // Labels of links have no marks.
  static std::string text_of(const std::vector<Span>& spans) {
    std::string text;
    for (const auto& span : spans) text += span.text + text_of(span.children);
    std::erase(text, '\n');
    return text;
  }

  template <class Content>
  void enclose(Span::Kind kind, Content content) {
    const auto mark = mark_of(kind);
    // An element within one of its own kind adds nothing, and providers refuse it.
    const bool is_open = std::find(open_.begin(), open_.end(), kind) != open_.end();
    if (is_open || mark.empty()) return content();
    open_.push_back(kind);
    const auto begin = out_.size();
    out_ += is_html() ? "<" + mark + ">" : mark;
    const auto inner = out_.size();
    content();
    if (out_.size() == inner)
      out_.resize(begin);
    else
      out_ += is_html() ? "</" + mark + ">" : mark;
    open_.pop_back();
  }

  std::string mark_of(Span::Kind kind) const {
    if (format_ == Format::plain) return {};
    switch (kind) {
      case Span::Kind::bold:
        return is_html() ? "b" : "*";
      case Span::Kind::italic:
        return is_html() ? "i" : "_";
      case Span::Kind::strike:
        return is_html() ? (format_ == Format::matrix_html ? "del" : "s") : "~";
      case Span::Kind::code:
        return is_html() ? "code" : "`";
      default:
        return {};
    }
  }

  const Format format_;
  std::string out_;
  std::vector<Span::Kind> open_;
};

void collect_files(const std::vector<Span>& spans, std::vector<std::string>& found) {
  for (const auto& span : spans) {
    const bool is_file = span.kind == Span::Kind::link && !span.target.empty() &&
                         span.target.find(':') == std::string::npos && !span.target.starts_with('#') &&
                         !span.target.starts_with("//");
    if (is_file && std::find(found.begin(), found.end(), span.target) == found.end()) found.push_back(span.target);
    collect_files(span.children, found);
  }
}

}  // namespace

std::string render(std::string_view markdown, Format format) {
  if (format == Format::markdown) return std::string(markdown);
  return Writer(format).write(parse_blocks(markdown));
}

std::vector<std::string> linked_files(std::string_view markdown) {
  std::vector<std::string> found;
  for (const auto& block : parse_blocks(markdown))
    if (block.kind != Block::Kind::code) collect_files(parse_inline(block.text), found);
  return found;
}

}  // namespace channels
