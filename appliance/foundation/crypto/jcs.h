// The canonical form of JSON (RFC 8785, JCS), so that a signature covers a value and not one spelling of it.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>

namespace crypto {

// Members sorted by their names' UTF-16 code units, no white space, numbers and texts as ECMAScript writes them.
// Nothing for a whole number beyond 2^53 whose digits a double does not keep: readers would disagree about it.
std::optional<std::string> canonical_json(const boost::json::value&);

}  // namespace crypto
