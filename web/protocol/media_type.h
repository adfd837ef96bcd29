// Media types of requests.
#pragma once

#include <string_view>

namespace web {

// Whether a Content-Type is application/json, or application/scim+json (RFC 7644), without a charset or with UTF-8.
bool is_json_type(std::string_view content_type);

}  // namespace web
