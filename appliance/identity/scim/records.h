// What the identity provider says of users by SCIM, besides what is in their accounts.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "appliance/access/records.h"
#include "store/store.h"
#include "store/table.h"

namespace scim {

inline constexpr accounts::SessionEpoch not_suspended = -1;

struct ProvisionedUser {
  std::int64_t user = 0;
  std::string user_name;      // as the provider writes it
  std::string user_name_key;  // the same in lower case; unique
  std::string external_id;    // may be empty
  std::string given_name, family_name;
  // User::sessions_since when the provider suspended the account: while it is the same, the provider may end that. An
  // administrator who disables the account makes it another.
  accounts::SessionEpoch suspended = not_suspended;
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(ProvisionedUser, (),
                      (user, user_name, user_name_key, external_id, given_name, family_name, suspended, created_at,
                       updated_at))

inline const store::Global<ProvisionedUser, std::int64_t> provisioned_users{
    {.family = "provisioned_users", .number = 230},
    &ProvisionedUser::user,
    {store::unique<ProvisionedUser>(1, "user_name", &ProvisionedUser::user_name_key),
     store::index<ProvisionedUser>(2, "external", &ProvisionedUser::external_id)}};

}  // namespace scim
