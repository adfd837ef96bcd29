#include "summarizer/outline.h"

#include <algorithm>
#include <deque>

#include "summarizer/bounds.h"
#include "summarizer/character_references.h"
#include "summarizer/text.h"
#include "summarizer/visibility.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

const RawAttribute* find(const Token& token, std::string_view name) {
  const auto found = std::ranges::find_if(
      token.attributes, [&](const RawAttribute& one) { return web::equal_ignoring_case(one.name, name); });
  return found == token.attributes.end() ? nullptr : &*found;
}

bool is_dialog(GumboTag tag, std::string_view name) {
  return tag == GUMBO_TAG_UNKNOWN && web::equal_ignoring_case(name, "dialog");
}

bool stands_apart(GumboTag tag, std::string_view name) {
  return tag == GUMBO_TAG_UNKNOWN ? is_dialog(tag, name) : breaks_text(tag);
}

bool is_top_heading(GumboTag tag) { return tag == GUMBO_TAG_H1 || tag == GUMBO_TAG_H2 || tag == GUMBO_TAG_H3; }

// The texts of elements of one kind, in the order of their start tags; they may be nested.
class Texts {
 public:
  Texts(std::size_t most, std::size_t max_characters) : list_(most), max_characters_(max_characters) {}

  bool is_full() const { return list_.full(); }
  void begin(GumboTag tag) { open_.push_back(&waiting_.emplace_back(tag, max_characters_)); }
  void end() {
    open_.back()->is_open = false;
    open_.pop_back();
    while (!waiting_.empty() && !waiting_.front().is_open) {
      auto text = waiting_.front().text.take();
      if (waiting_.front().tag == GUMBO_TAG_H1 && first_h1.empty()) first_h1 = text;
      list_.add(std::move(text));
      waiting_.pop_front();
    }
  }
  void add(std::string_view text) {
    for (auto* one : open_) one->text.add(text);
  }
  void add_break() {
    for (auto* one : open_) one->text.add_break();
  }
  std::vector<std::string> take() { return list_.take(); }

  std::string first_h1;

 private:
  struct Waiting {
    Waiting(GumboTag its_tag, std::size_t max_characters) : tag(its_tag), text(max_characters) {}
    GumboTag tag;
    CollapsedText text;
    bool is_open = true;
  };
  Distinct list_;
  const std::size_t max_characters_;
  std::deque<Waiting> waiting_;  // until earlier ones have ended
  std::vector<Waiting*> open_;
};

class Outline : public Sink {
 public:
  void start(GumboTag tag, const Token& token) override {
    if (tag == GUMBO_TAG_META) describe_by(token);
    if (tag == GUMBO_TAG_TITLE && title_.empty()) is_in_title_ = true;
    const bool is_closed = !is_left_open(tag);
    if (unread_depth_ > 0) {
      unread_depth_ += is_closed ? 1 : 0;
      return;
    }
    if (is_unread_element(tag, token)) {
      if (is_closed) unread_depth_ = 1;
      if (tag == GUMBO_TAG_BODY) unread_depth_ = for_ever;
      return;
    }
    if (auto* texts = texts_of(tag)) {
      const bool is_collected = !texts->is_full() || (tag == GUMBO_TAG_H1 && headings_.first_h1.empty());
      captured_.push_back(is_collected);
      if (is_collected) texts->begin(tag);
    }
    if (stands_apart(tag, token.name)) add_break();
  }

  void end(GumboTag tag, std::string_view name) override {
    if (tag == GUMBO_TAG_TITLE && std::exchange(is_in_title_, false)) {
      title_ = collapsed(raw_title_, max_title);
      raw_title_.clear();
    }
    if (unread_depth_ > 0) {
      --unread_depth_;
      return;
    }
    if (stands_apart(tag, name)) add_break();
    if (auto* texts = texts_of(tag)) {
      if (captured_.back()) texts->end();
      captured_.pop_back();
    }
  }

  void text(std::string_view text) override {
    if (is_in_title_) references_.append(raw_title_, text);
    if (unread_depth_ > 0) return;
    if (text.find_first_of(std::string_view("&\0", 2)) != text.npos) {
      decoded_.clear();
      references_.append(decoded_, text);
      std::erase(decoded_, '\0');
      text = decoded_;
    }
    if (trimmed(text).empty()) text = text.substr(0, 1);
    words_.add(text);
    headings_.add(text);
    paragraphs_.add(text);
  }

  std::size_t size() const override { return 0; }  // the page's size is the bound

  Summary take() {
    Summary summary;
    summary.title = title_.empty() ? std::move(headings_.first_h1) : std::move(title_);
    summary.description = description_of(meta_);
    summary.headings = headings_.take();
    summary.paragraphs = paragraphs_.take();
    summary.word_count = words_.words();
    return summary;
  }

 private:
  static constexpr std::size_t for_ever = std::size_t{1} << 60;

  Texts* texts_of(GumboTag tag) {
    return is_top_heading(tag) ? &headings_ : tag == GUMBO_TAG_P ? &paragraphs_ : nullptr;
  }

  bool is_unread_element(GumboTag tag, const Token& token) {
    if (is_unread(tag)) return true;
    if (token.attributes.empty()) return is_dialog(tag, token.name);
    if (is_dialog(tag, token.name) && !find(token, "open")) return true;
    const auto* style = find(token, "style");
    return (style && hides(references_.of_attribute(style->value))) || (tag != GUMBO_TAG_HTML && find(token, "hidden"));
  }

  void describe_by(const Token& token) {
    const auto* content = find(token, "content");
    if (!content || meta_.size() >= max_meta) return;
    for (const std::string_view key : {"property", "name"}) {
      const auto* name = find(token, key);
      if (name) describe(meta_, references_.of_attribute(name->value), references_.of_attribute(content->value));
    }
  }

  void add_break() {
    words_.add_break();
    headings_.add_break();
    paragraphs_.add_break();
  }

  CharacterReferences references_;
  std::string title_, raw_title_, decoded_;
  bool is_in_title_ = false;
  std::size_t unread_depth_ = 0;  // open elements from the outermost skipped one
  std::vector<bool> captured_;    // for each open heading and paragraph, whether its text is collected
  boost::json::object meta_;
  Texts headings_{max_headings, max_title}, paragraphs_{max_paragraphs, max_paragraph};
  WordCount words_;
};

}  // namespace

Summary outline_of(std::string_view html, const Caps& caps) {
  Outline outline;
  guard(html, outline, caps);
  return outline.take();
}

}  // namespace summarizer
