// The protocol of SCIM 2.0 (RFC 7644): names of schemas and media type, errors, and paths to attributes.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/protocol/http.h"
#include "web/result.h"
#include "web/routes/route.h"

namespace scim {

inline constexpr std::string_view media_type = "application/scim+json";
inline constexpr std::string_view base_path = "/scim/v2";

namespace schema {
inline constexpr std::string_view user = "urn:ietf:params:scim:schemas:core:2.0:User",
                                  group = "urn:ietf:params:scim:schemas:core:2.0:Group",
                                  list = "urn:ietf:params:scim:api:messages:2.0:ListResponse",
                                  error = "urn:ietf:params:scim:api:messages:2.0:Error";
}

// An invalid request with the scimType that section 3.12 has for it.
web::Error invalid_filter(std::string message);
web::Error invalid_path(std::string message);
web::Error no_target(std::string message);
web::Error read_only(std::string_view attribute);
// conflict.
web::Error not_unique(std::string message);
// 412: the resource has another version than If-Match names.
web::Error version_changed();

// The errors of everything under base_path.
web::ErrorForm error_form();
// The same for an error of a handler, which may have a status that no kind has.
web::Response error_reply(const web::Error&);
web::Response reply(boost::json::object body, int status = 200);

// Of an attribute, in lower case, since its name may have any case: "name.familyName", also with the schema before it.
struct AttributePath {
  std::string attribute, sub;  // `sub` may be empty. Of an extension, its URN is the attribute.

  // Nothing if the text is none.
  static std::optional<AttributePath> parse(std::string_view text);
};

// By a name in any case; null if there is no such member.
const boost::json::value* find_attribute(const boost::json::object&, std::string_view name);
boost::json::value* find_attribute(boost::json::object&, std::string_view name);

// Which attributes of a resource the client wants (section 3.9).
class Projection {
 public:
  // Lists of names with commas. Both may be empty.
  Projection(std::string_view attributes, std::string_view excluded_attributes);
  bool includes(std::string_view attribute) const;
  bool is_whole() const { return wanted_.empty() && excluded_.empty(); }
  boost::json::object of(boost::json::object resource) const;

 private:
  std::vector<AttributePath> wanted_, excluded_;
};

// An entity tag of the resource, which changes with any of its attributes.
std::string version_of(const boost::json::object& resource);
// Whether a list of entity tags (If-Match, If-None-Match) has this one.
bool lists_version(std::string_view tags, std::string_view version);

}  // namespace scim
