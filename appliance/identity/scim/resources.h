// Users and groups as resources of SCIM (RFC 7643), and what a client may say of them.
#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/records.h"
#include "appliance/identity/groups/records.h"
#include "appliance/identity/scim/patch.h"
#include "appliance/identity/scim/records.h"
#include "web/result.h"
#include "web/routes/fields.h"

namespace scim {

struct NameBody {
  std::optional<web::Text<0, 200>> formatted, givenName, familyName;
};
BOOST_DESCRIBE_STRUCT(NameBody, (), (formatted, givenName, familyName))

struct EmailBody {
  std::optional<web::Text<0, 254>> value;
  std::optional<web::Text<0, 40>> type;
  std::optional<boost::json::value> primary;
};
BOOST_DESCRIBE_STRUCT(EmailBody, (), (value, type, primary))

// Attributes that are not here are ignored. A truth value may come as the text "True", as Entra ID sends it.
struct UserBody {
  web::Text<1, 254> userName;
  std::optional<web::Text<0, 200>> externalId;
  std::optional<web::Text<0, 200>> displayName;
  std::optional<NameBody> name;
  std::optional<web::List<EmailBody, 0, 20>> emails;
  std::optional<boost::json::value> active;
};
BOOST_DESCRIBE_STRUCT(UserBody, (), (userName, externalId, displayName, name, emails, active))

struct MemberBody {
  web::Text<1, 128> value;
};
BOOST_DESCRIBE_STRUCT(MemberBody, (), (value))

struct GroupBody {
  web::Text<1, 100> displayName;
  std::optional<web::Text<0, 200>> externalId;
  std::optional<web::List<MemberBody, 0, 10'000>> members;
};
BOOST_DESCRIBE_STRUCT(GroupBody, (), (displayName, externalId, members))

struct PatchBody {
  web::List<boost::json::value, 1, 1'000> Operations;
};
BOOST_DESCRIBE_STRUCT(PatchBody, (), (Operations))

extern const Attributes user_attributes, group_attributes;

// What the client says of a user.
struct UserStatement {
  std::string user_name, external_id, email, display_name, given_name, family_name;
  std::optional<bool> active;  // nothing: as it is
};
// invalid: a value is none of its attribute, or there is no address. Without `emails`, the address is `known_email`, or
// the user name if that is one.
web::Result<UserStatement> read_user(boost::json::object resource, const std::string& known_email = {});

struct GroupStatement {
  std::string display_name;
  std::optional<std::string> external_id;             // nothing: as it is
  std::optional<std::vector<store::UserId>> members;  // nothing: as they are
};
web::Result<GroupStatement> read_group(boost::json::object resource);

// `base`: the URL of base_path. `provisioned` is null for accounts that the provider has not made or changed.
boost::json::object user_resource(const std::string& base, const accounts::User&, const ProvisionedUser* provisioned,
                                  const std::vector<groups::Group>&);
// Without members.
boost::json::object group_resource(const std::string& base, const groups::Group&);
boost::json::object member_of_group(const std::string& base, const accounts::User&);
// Adds the version, which is that of all other attributes.
void add_version(boost::json::object& resource);

}  // namespace scim
