// What described structs leave free (configs, metadata) is kept as it was written, or refused.
#pragma once

#include <boost/json/object.hpp>
#include <string_view>

#include "web/result.h"

namespace web {

// Names without control characters, texts with none but line feeds, carriage returns and tabs, numbers within 64 bits:
// larger ones have lost digits by the time they are read. The error is invalid and names the field below `where`:
// "config.a[2] must not contain control characters".
Result<void> check_free_form(const boost::json::object&, std::string_view where);

}  // namespace web
