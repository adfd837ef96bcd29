#include "appliance/files/explorer/git/recode.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "summarizer/charset.h"
#include "web/ascii.h"

namespace git {

namespace {

// The name comes from the commit and is not trusted: to iconv a slash in it is more than a part of a name.
bool is_plain_name(std::string_view encoding) {
  constexpr std::size_t longest = 40;
  return encoding.size() <= longest && std::ranges::all_of(encoding, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
                  c == '.' || c == ':';
         });
}

bool needs_recoding(const Commit& commit) {
  return !commit.encoding.empty() && is_plain_name(commit.encoding) &&
         !web::equal_ignoring_case(commit.encoding, "UTF-8");
}

void recode(std::string& text, const std::string& encoding) {
  try {
    text = summarizer::to_utf8(text, encoding);
  } catch (const std::runtime_error&) {
    // An encoding that iconv does not know.
  }
}

}  // namespace

void recode(Commit& commit) {
  if (!needs_recoding(commit)) return;
  recode(commit.subject, commit.encoding);
  recode(commit.author, commit.encoding);
}

void recode(ShownCommit& shown) {
  recode(shown.commit);
  if (!needs_recoding(shown.commit)) return;
  recode(shown.message, shown.commit.encoding);
  recode(shown.email, shown.commit.encoding);
}

}  // namespace git
