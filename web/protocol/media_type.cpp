#include "web/protocol/media_type.h"

#include "web/ascii.h"

namespace web {

bool is_json_type(std::string_view content_type) {
  const auto semicolon = content_type.find(';');
  const auto type = trim(content_type.substr(0, semicolon));
  if (!equal_ignoring_case(type, "application/json") && !equal_ignoring_case(type, "application/scim+json"))
    return false;
  if (semicolon == std::string_view::npos) return true;
  const auto parameter = trim(content_type.substr(semicolon + 1));
  return parameter.empty() || equal_ignoring_case(parameter, "charset=utf-8") ||
         equal_ignoring_case(parameter, "charset=\"utf-8\"");
}

}  // namespace web
