// application/x-www-form-urlencoded, as OAuth sends parameters.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oauth {

using Parameters = std::vector<std::pair<std::string_view, std::string>>;

// Everything but letters, digits and -._~ is percent-encoded.
std::string encoded(std::string_view text);
std::string form(const Parameters&);
// The URL with the parameters added to its query.
std::string with_query(std::string url, const Parameters&);

}  // namespace oauth
