// PATCH of SCIM (RFC 7644, section 3.5.2), in the forms in which Microsoft Entra ID and Okta send it, too: operations
// with a capital, without a path, with paths as the names of members, and members to remove as a value.
#pragma once

#include <boost/json.hpp>
#include <initializer_list>
#include <string_view>

#include "web/result.h"

namespace scim {

// The attributes of a resource that a client may change, as their schema writes them. Operations on those of `fixed`
// are refused, and on all others ignored: clients send whatever their directory has.
struct Attributes {
  std::initializer_list<std::string_view> changeable, lists, fixed;
};

// Applies the operations in their order to the resource's JSON, whose values are not checked. invalid, with the
// scimType: an operation is none, its path is no path, or names nothing that is there.
web::Result<void> apply_patch(boost::json::object& resource, const boost::json::array& operations, const Attributes&);

}  // namespace scim
