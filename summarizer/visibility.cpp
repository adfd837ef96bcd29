#include "summarizer/visibility.h"

#include <algorithm>

#include "web/ascii.h"

namespace summarizer {
namespace {

// True when a style attribute sets `property` to `value`; sufficient for generated pages.
bool style_says(std::string_view style, std::string_view property, std::string_view value) {
  while (!style.empty()) {
    const auto declaration = style.substr(0, style.find(';'));
    style.remove_prefix(std::min(declaration.size() + 1, style.size()));
    const auto colon = declaration.find(':');
    if (colon == declaration.npos) continue;
    if (web::equal_ignoring_case(web::trim(declaration.substr(0, colon)), property) &&
        web::starts_ignoring_case(web::trim(declaration.substr(colon + 1)), value)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_unread(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_RP:  // parentheses for browsers without ruby
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_CANVAS:  // what is in these three is for browsers without them
      return true;
    default:
      return false;
  }
}

bool hides(std::string_view style) {
  return !style.empty() && (style_says(style, "display", "none") || style_says(style, "visibility", "hidden"));
}

bool breaks_text(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_A:
    case GUMBO_TAG_ABBR:
    case GUMBO_TAG_ACRONYM:
    case GUMBO_TAG_AREA:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_B:
    case GUMBO_TAG_BDI:
    case GUMBO_TAG_BDO:
    case GUMBO_TAG_BIG:
    case GUMBO_TAG_BLINK:
    case GUMBO_TAG_CANVAS:
    case GUMBO_TAG_CITE:
    case GUMBO_TAG_CODE:
    case GUMBO_TAG_DATA:
    case GUMBO_TAG_DFN:
    case GUMBO_TAG_DEL:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_EMBED:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_I:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_INS:
    case GUMBO_TAG_KBD:
    case GUMBO_TAG_MAP:
    case GUMBO_TAG_MARK:
    case GUMBO_TAG_METER:
    case GUMBO_TAG_NOBR:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_OUTPUT:
    case GUMBO_TAG_PROGRESS:
    case GUMBO_TAG_Q:
    case GUMBO_TAG_RB:
    case GUMBO_TAG_RP:
    case GUMBO_TAG_RT:
    case GUMBO_TAG_RTC:
    case GUMBO_TAG_RUBY:
    case GUMBO_TAG_S:
    case GUMBO_TAG_SAMP:
    case GUMBO_TAG_SMALL:
    case GUMBO_TAG_SOURCE:
    case GUMBO_TAG_SPAN:
    case GUMBO_TAG_STRIKE:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_SUB:
    case GUMBO_TAG_SUP:
    case GUMBO_TAG_TIME:
    case GUMBO_TAG_TRACK:
    case GUMBO_TAG_TT:
    case GUMBO_TAG_U:
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_VAR:
    case GUMBO_TAG_WBR:
      return false;
    default:
      return true;
  }
}

}  // namespace summarizer
