// Validates free-form JSON objects (configs, metadata), which are stored as they were sent.
#pragma once

#include <boost/json/object.hpp>
#include <string_view>

#include "web/result.h"

namespace web {

// Accepts names without control characters, and texts with line feeds, carriage returns and tabs at most. (Numbers that
// would change are refused by parse_json.) The error is invalid and names the field below `where`: "config.a[2] must
// not contain control characters".
Result<void> check_free_form(const boost::json::object&, std::string_view where);

}  // namespace web
