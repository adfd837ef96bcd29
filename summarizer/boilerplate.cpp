#include "summarizer/boilerplate.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "web/ascii.h"

namespace summarizer {
namespace {

using Words = std::initializer_list<std::string_view>;

// Sorted, for binary search.
constexpr auto furniture_words = std::to_array<std::string_view>(
    {"ad",          "ads",         "advert",      "advertisement", "advertising", "banner",   "breadcrumb",
     "breadcrumbs", "comment",     "commentlist", "comments",      "consent",     "cookie",   "cookies",
     "crumbs",      "cta",         "disqus",      "donate",        "editsection", "footer",   "gdpr",
     "headerlink",  "login",       "mailinglist", "masthead",      "menu",        "modal",    "nav",
     "navbar",      "navbox",      "navigation",  "newsletter",    "noprint",     "outbrain", "overlay",
     "pager",       "pagination",  "paywall",     "permalink",     "popular",     "popup",    "promo",
     "recirc",      "recommended", "related",     "relatedposts",  "replies",     "respond",  "rss",
     "share",       "sharedaddy",  "sharing",     "shoutbox",      "sidebar",     "signup",   "skip",
     "social",      "sponsor",     "sponsored",   "subscribe",     "taboola",     "toc",      "toolbar",
     "trending",    "upsell"});
// Only as the first word of a name: page builders call every block "builder-widget-text".
constexpr auto leading_furniture_words = std::to_array<std::string_view>({"widget", "widgets"});
constexpr auto small_words = std::to_array<std::string_view>(
    {"ad", "ads", "advert", "advertisement", "advertising", "banner", "cta", "donate", "popup", "promo", "share",
     "sharedaddy", "sharing", "social", "sponsor", "sponsored", "widget", "widgets"});
constexpr auto comment_words =
    std::to_array<std::string_view>({"comment", "commentlist", "comments", "disqus", "replies", "respond"});
constexpr auto beside_words =
    std::to_array<std::string_view>({"footer", "recommended", "related", "relatedposts", "sidebar"});
constexpr auto content_words =
    std::to_array<std::string_view>({"article", "articlebody", "body", "content", "entry", "hentry", "main", "page",
                                     "post", "postbody", "story", "text"});
constexpr auto byline_words = std::to_array<std::string_view>(
    {"author", "byline", "categories", "credit", "credits", "date", "dateline", "meta", "postdate", "posted",
     "published", "readtime", "tags", "time", "timestamp", "updated"});
constexpr auto author_words =
    std::to_array<std::string_view>({"author", "authors", "bio", "biography", "contributor", "contributors"});
static_assert(std::ranges::is_sorted(furniture_words) && std::ranges::is_sorted(leading_furniture_words) &&
              std::ranges::is_sorted(small_words) && std::ranges::is_sorted(comment_words) &&
              std::ranges::is_sorted(beside_words) && std::ranges::is_sorted(content_words) &&
              std::ranges::is_sorted(byline_words) && std::ranges::is_sorted(author_words));

// The words of an id that a heading's text has become.
constexpr std::size_t words_of_slug = 4;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// The words of a name, in lower case: "post-footer", "postFooter" and "post_footer" have two each.
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  bool within = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool hump = i > 0 && is_upper(c) && !is_upper(name[i - 1]);
    if (web::is_letter(c) && (!within || hump)) words.emplace_back();
    within = web::is_letter(c);
    if (within) words.back() += web::to_lower(c);
  }
  return words;
}

template <class List>
bool is_in(const std::string& word, const List& list) {
  return std::ranges::binary_search(list, std::string_view(word));
}

template <class List>
bool has_word(const std::vector<std::string>& words, const List& list) {
  return std::ranges::any_of(words, [&](const auto& word) { return is_in(word, list); });
}

template <class List>
bool is_about(const std::vector<std::string>& words, const List& list) {
  return is_in(words.front(), list) || is_in(words.back(), list);
}

// Adds what one name says.
void read_name(const std::vector<std::string>& words, Names& names) {
  if (words.empty()) return;
  const bool furniture = has_word(words, furniture_words) || is_in(words.front(), leading_furniture_words);
  const bool large = std::ranges::any_of(
      words, [](const auto& word) { return is_in(word, furniture_words) && !is_in(word, small_words); });
  const bool content = has_word(words, content_words);
  names.small = (names.small || (furniture && !names.furniture)) && !large;
  names.furniture = names.furniture || furniture;
  names.comments = names.comments || is_about(words, comment_words);
  names.beside_text = names.beside_text || is_about(words, beside_words);
  names.content = names.content || content;
  names.only_content = names.only_content || (content && !furniture);
  names.byline = names.byline || has_word(words, byline_words);
  names.author = names.author || has_word(words, author_words);
}

bool is_heading(GumboTag tag) { return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6; }

bool is_one_of(std::string_view text, Words words) {
  return std::ranges::any_of(words, [text](auto word) { return web::equal_ignoring_case(text, word); });
}

bool starts_with_one_of(std::string_view text, Words words) {
  return std::ranges::any_of(words, [text](auto word) { return web::starts_ignoring_case(text, word); });
}

}  // namespace

Names names_of(const GumboElement& element) {
  Names names;
  bool is_section = element.tag == GUMBO_TAG_SECTION || element.tag == GUMBO_TAG_DT || is_heading(element.tag);
  for (std::string_view classes = attribute(element, "class"); !classes.empty();) {
    const auto name = classes.substr(0, classes.find_first_of(" \t\r\n\f"));
    is_section = is_section || name == "section";
    read_name(words_of_name(name), names);
    classes.remove_prefix(std::min(name.size() + 1, classes.size()));
  }
  if (is_section) return names;
  if (const auto id = words_of_name(attribute(element, "id")); id.size() < words_of_slug) read_name(id, names);
  return names;
}

bool is_furniture(const GumboElement& element) {
  switch (element.tag) {
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_MENU:
    case GUMBO_TAG_INPUT:
    case GUMBO_TAG_LABEL:
      return true;
    default:
      return is_one_of(attribute(element, "role"), {"navigation", "search", "alert", "alertdialog", "menu", "menubar",
                                                    "toolbar", "tablist", "button"});
  }
}

bool is_usually_furniture(const GumboElement& element) {
  switch (element.tag) {
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_FIELDSET:
      return true;
    default:
      return is_one_of(attribute(element, "role"), {"complementary", "contentinfo", "banner", "dialog"});
  }
}

bool is_marked_as_content(const GumboElement& element, const Names& names) {
  return element.tag == GUMBO_TAG_ARTICLE || element.tag == GUMBO_TAG_MAIN ||
         is_one_of(attribute(element, "role"), {"main", "article"}) ||
         web::equal_ignoring_case(attribute(element, "itemprop"), "articleBody") || names.content;
}

bool is_marked_as_byline(const GumboElement& element, const Names& names) {
  return element.tag == GUMBO_TAG_TIME || element.tag == GUMBO_TAG_ADDRESS ||
         web::equal_ignoring_case(attribute(element, "rel"), "author") ||
         is_one_of(attribute(element, "itemprop"), {"author", "datePublished", "dateModified", "keywords"}) ||
         names.byline;
}

bool reads_like_furniture(std::string_view text) {
  return is_one_of(text, {"advert",     "caption", "advertisement", "advertising",     "sponsored", "share",
                          "share this", "tweet",   "print",         "email",           "read more", "continue reading",
                          "load more",  "loading", "back to top",   "skip to content", "reply",     "permalink",
                          "edit",       "[edit]",  "subscribe",     "follow us",       "close",     "menu"}) ||
         starts_with_one_of(text,
                            {"read more:", "related:", "see also:", "also read:", "more on this:", "read also:",
                             "you may also like", "share this", "filed under", "posted in ", "tagged ", "sign up for ",
                             "subscribe to ", "all rights reserved", "copyright ", "(c) ", "\xC2\xA9 "});
}

}  // namespace summarizer
