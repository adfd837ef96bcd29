// Resolves the addresses in a page as a browser does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace summarizer {

class UrlResolver {
 public:
  // `page` is the page's address. If it is not a valid URL, only absolute references are resolved.
  explicit UrlResolver(std::string_view page);

  // From <base href>; ignored unless it is an http or https URL.
  void rebase(std::string_view href);

  // The normalised http or https URL of `reference`; nothing for other schemes, fragments of the same page, an empty
  // reference, and invalid references that cannot be repaired as browsers do (white space, backslashes, characters that
  // must be percent-encoded).
  std::optional<std::string> absolute(std::string_view reference) const;

 private:
  void set_base(std::string url);

  std::string base_;
};

}  // namespace summarizer
