// What this server says of itself: RFC 7643, sections 5 to 7.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace scim {

inline constexpr std::size_t max_results = 200;  // of one page

// `base`: the URL of base_path.
boost::json::object provider_config(const std::string& base);
// By the name of a resource type, or by the URN of a schema; nothing for others.
std::optional<boost::json::object> resource_type(const std::string& base, std::string_view name);
std::optional<boost::json::object> schema_document(const std::string& base, std::string_view urn);
// All of them as a list.
boost::json::object resource_types(const std::string& base);
boost::json::object schema_documents(const std::string& base);

}  // namespace scim
