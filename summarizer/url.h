// The addresses a page names, made absolute as a browser would.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace summarizer {

class UrlResolver {
 public:
  // `page` is where the page came from. What cannot be read as a URL resolves nothing but absolute references.
  explicit UrlResolver(std::string_view page);

  // From <base href>; ignored when it is no http or https URL.
  void rebase(std::string_view href);

  // The normalised http or https URL of `reference`; nothing for other schemes, fragments of the same page, an empty
  // reference, and what cannot be read even after the repairs browsers make (white space, backslashes, characters that
  // must be percent-encoded).
  std::optional<std::string> absolute(std::string_view reference) const;

 private:
  void set_base(std::string url);

  std::string base_;
};

}  // namespace summarizer
