// YAML as front matter uses it, read with libyaml: mappings, lists and scalars of one document.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "web/result.h"

namespace agent_process {

// Scalars are texts, except plain true and false (booleans) and plain null, ~ and nothing (null); so 1.10 stays "1.10".
// Kind::invalid, naming `what` and the line: for invalid YAML, anchors, aliases and tags, keys that are no text or
// occur twice, a second document, more than 8 levels or 1,000 values.
web::Result<boost::json::value> parse_yaml(std::string_view text, std::string_view what);

}  // namespace agent_process
