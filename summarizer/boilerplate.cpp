#include "summarizer/boilerplate.h"

#include <algorithm>
#include <array>
#include <string>

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
     "recirc",      "recommended", "related",     "replies",       "respond",     "rss",      "share",
     "sharedaddy",  "sharing",     "shoutbox",    "sidebar",       "signup",      "skip",     "social",
     "sponsor",     "sponsored",   "subscribe",   "taboola",       "toc",         "toolbar",  "trending",
     "upsell",      "widget",      "widgets"});
constexpr auto content_words =
    std::to_array<std::string_view>({"article", "articlebody", "body", "content", "entry", "hentry", "main", "page",
                                     "post", "postbody", "story", "text"});
constexpr auto byline_words = std::to_array<std::string_view>(
    {"author", "byline", "categories", "credit", "credits", "date", "dateline", "meta", "postdate", "posted",
     "published", "readtime", "tags", "time", "timestamp", "updated"});
static_assert(std::ranges::is_sorted(furniture_words) && std::ranges::is_sorted(content_words) &&
              std::ranges::is_sorted(byline_words));

bool is_letter(char c) { return web::to_lower(c) >= 'a' && web::to_lower(c) <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// True if one of the words of the names, in lower case, is in the sorted list. "post-footer", "postFooter" and
// "post_footer" are two words each.
template <class List>
bool has_word(std::string_view names, const List& list) {
  std::string word;
  const auto known = [&] { return !word.empty() && std::ranges::binary_search(list, std::string_view(word)); };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char c = names[i];
    const bool hump = i > 0 && is_upper(c) && !is_upper(names[i - 1]);
    if (!is_letter(c) || hump) {
      if (known()) return true;
      word.clear();
    }
    if (is_letter(c)) word += web::to_lower(c);
  }
  return known();
}

template <class List>
bool is_named(const GumboElement& element, const List& list) {
  return has_word(attribute(element, "class"), list) || has_word(attribute(element, "id"), list);
}

bool is_one_of(std::string_view text, Words words) {
  return std::ranges::any_of(words, [text](auto word) { return web::equal_ignoring_case(text, word); });
}

bool starts_with_one_of(std::string_view text, Words words) {
  return std::ranges::any_of(words, [text](auto word) { return web::starts_ignoring_case(text, word); });
}

}  // namespace

bool is_furniture(const GumboElement& element) {
  switch (element.tag) {
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_MENU:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_INPUT:
    case GUMBO_TAG_LABEL:
      return true;
    default:
      return is_one_of(attribute(element, "role"),
                       {"navigation", "complementary", "contentinfo", "banner", "search", "dialog", "alert",
                        "alertdialog", "menu", "menubar", "toolbar", "tablist", "button"});
  }
}

bool is_named_like_furniture(const GumboElement& element) { return is_named(element, furniture_words); }

bool is_named_like_content(const GumboElement& element) {
  return element.tag == GUMBO_TAG_ARTICLE || element.tag == GUMBO_TAG_MAIN ||
         is_one_of(attribute(element, "role"), {"main", "article"}) ||
         web::equal_ignoring_case(attribute(element, "itemprop"), "articleBody") || is_named(element, content_words);
}

bool is_named_like_byline(const GumboElement& element) {
  return element.tag == GUMBO_TAG_TIME || element.tag == GUMBO_TAG_ADDRESS ||
         web::equal_ignoring_case(attribute(element, "rel"), "author") ||
         is_one_of(attribute(element, "itemprop"), {"author", "datePublished", "dateModified", "keywords"}) ||
         is_named(element, byline_words);
}

bool reads_like_furniture(std::string_view text) {
  return is_one_of(text, {"advertisement", "advertising", "sponsored",   "share",           "share this",
                          "tweet",         "print",       "email",       "read more",       "continue reading",
                          "load more",     "loading",     "back to top", "skip to content", "reply",
                          "permalink",     "edit",        "[edit]",      "subscribe",       "follow us",
                          "close",         "menu"}) ||
         starts_with_one_of(text,
                            {"read more:", "related:", "see also:", "also read:", "more on this:", "read also:",
                             "you may also like", "share this", "filed under", "posted in ", "tagged ", "sign up for ",
                             "subscribe to ", "all rights reserved", "copyright ", "(c) ", "\xC2\xA9 "});
}

}  // namespace summarizer
