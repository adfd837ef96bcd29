// Users and groups that the identity provider makes, changes and suspends by SCIM, with the audit log.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>

#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/groups/groups.h"
#include "appliance/identity/identities/identities.h"
#include "appliance/identity/personal_data/account_deletions.h"
#include "appliance/identity/personal_data/personal_data.h"
#include "appliance/identity/scim/filter.h"
#include "appliance/identity/scim/resources.h"
#include "appliance/identity/site.h"
#include "web/result.h"
#include "web/task.h"

namespace scim {

// Which resources a list has. `start` counts from 1.
struct Listing {
  std::optional<Filter> filter;
  std::size_t start = 1, count = 100;
  bool has_members = true;  // of groups
};

struct Page {
  boost::json::array resources;
  std::size_t total = 0;
};

// The versions of If-Match; empty: any.
using Condition = std::string;

// The provider sees the accounts whose address is proved and that have one: not those of wallets, nor those that have
// only typed an address, nor those that are being erased. Callable from every thread. All arguments must outlive it.
class Provisioning {
 public:
  Provisioning(store::System system, accounts::Accounts& accounts, identities::Identities& identities,
               groups::Groups& groups, personal_data::AccountDeletions& deletions, audit::Audit& audit,
               const agentbox::Site& site, boost::asio::thread_pool& blocking)
      : system_(std::move(system)),
        accounts_(accounts),
        identities_(identities),
        groups_(groups),
        deletions_(deletions),
        audit_(audit),
        site_(site),
        blocking_(blocking) {}

  std::string base() const;

  // With its version. Nothing: the provider sees no such resource.
  std::optional<boost::json::object> user(std::string_view id) const;
  std::optional<boost::json::object> group(std::string_view id, bool has_members = true) const;
  // The address of a user who has another one than the user name; empty for others.
  std::string separate_email(std::string_view id) const;
  // Blocks. Without a filter that an index serves it reads the whole table.
  Page users(const Listing&) const;
  Page groups(const Listing&) const;

  // The new resource. An account that somebody has made with the address, which is not proved, is claimed for its
  // owner (Identities::claim). conflict: the provider sees a user of this name or address.
  web::Task<web::Result<boost::json::object>> create_user(audit::Actor, UserStatement);
  // The changed resource. An account that an administrator has disabled stays so. not_found; conflict;
  // version_changed(); errors of Accounts::change_provisioned.
  web::Task<web::Result<boost::json::object>> change_user(audit::Actor, std::string id, UserStatement, Condition);
  // The same by operations on the resource as it is. Also the errors of apply_patch and read_user.
  web::Task<web::Result<boost::json::object>> patch_user(audit::Actor, std::string id, boost::json::array operations,
                                                         Condition);
  // Erases the account and everything that is the user's, as an administrator does. not_found; errors of
  // AccountDeletions::leave.
  web::Task<web::Result<void>> remove_user(audit::Actor, std::string id, Condition);

  web::Task<web::Result<boost::json::object>> create_group(audit::Actor, GroupStatement);
  web::Task<web::Result<boost::json::object>> change_group(audit::Actor, std::string id, GroupStatement, Condition);
  web::Task<web::Result<boost::json::object>> patch_group(audit::Actor, std::string id, boost::json::array operations,
                                                          Condition);
  web::Task<web::Result<void>> remove_group(audit::Actor, std::string id, Condition);

  // For the export and the erasure of what is the user's.
  personal_data::Part personal_data() const;

 private:
  std::optional<accounts::User> find(std::string_view id) const;
  bool is_seen(const accounts::User&) const;
  std::optional<ProvisionedUser> record_of(store::UserId) const;
  boost::json::object resource_of(const accounts::User&) const;
  boost::json::object resource_of(const groups::Group&, bool has_members) const;
  // The users, or groups, that may match, in the order of their ids.
  std::vector<accounts::User> users_to_match(const std::optional<Filter>&) const;
  std::vector<groups::Group> groups_to_match(const std::optional<Filter>&) const;
  web::Result<void> require_free_name(const std::string& key, store::UserId) const;
  web::Result<void> require_version(const boost::json::object& resource, const Condition&) const;
  web::Task<web::Result<accounts::User>> claim(accounts::User, UserStatement);
  web::Task<web::Result<accounts::User>> create(UserStatement);
  web::Task<web::Result<accounts::User>> change(store::UserId, UserStatement, Condition);
  web::Result<void> apply(const UserStatement&, const Condition&, accounts::User&, accounts::SessionEpoch now,
                          store::Change&) const;
  web::Result<groups::Roster> roster_of(const std::string& group, const std::vector<store::UserId>& wanted) const;
  web::Task<> note(audit::Entry, std::optional<web::Error>);
  web::Task<> note_roster(const audit::Actor&, const std::string& group, const groups::Roster&);

  store::System system_;
  accounts::Accounts& accounts_;
  identities::Identities& identities_;
  groups::Groups& groups_;
  personal_data::AccountDeletions& deletions_;
  audit::Audit& audit_;
  const agentbox::Site& site_;
  boost::asio::thread_pool& blocking_;
};

}  // namespace scim
