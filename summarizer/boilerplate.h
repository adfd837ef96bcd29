// Detects boilerplate by tags, roles and the words in class and id.
#pragma once

#include "summarizer/dom.h"

namespace summarizer {

// What the words in an element's class and id say of it. Ids of headings and sections are left out: they are made of
// the heading's text.
struct Names {
  bool furniture = false;     // a sidebar, comments, an advertisement, sharing buttons, ...
  bool small = false;         // only such furniture as never holds prose: advertisements, buttons, widgets
  bool comments = false;      // a name that begins or ends with the word: of the comments themselves, not of their page
  bool beside_text = false;   // the same of a sidebar, a footer, related articles
  bool content = false;       // the main text
  bool only_content = false;  // a name of the main text without a word of furniture in it
  bool byline = false;        // author, date or tags of the text
  bool author = false;        // the author, perhaps with a biography
};
Names names_of(const GumboElement&);

// Navigation, buttons, fields and the like, with any content.
bool is_furniture(const GumboElement&);
// An aside, a footer, a form: furniture unless it is the frame of the whole page.
bool is_usually_furniture(const GumboElement&);
// Its tag, role, class or id marks it as the main text.
bool is_marked_as_content(const GumboElement&, const Names&);
// Its tag, class, rel or itemprop marks it as author, date or tags of the text.
bool is_marked_as_byline(const GumboElement&, const Names&);
// "Advertisement", "Share this", "Read more: ..." and their kind.
bool reads_like_furniture(std::string_view text);

}  // namespace summarizer
