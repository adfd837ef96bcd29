#include "appliance/identity/scim/provisioning.h"

#include <algorithm>
#include <set>

#include "appliance/foundation/email.h"
#include "appliance/identity/personal_data/archive.h"
#include "appliance/identity/personal_data/exported.h"
#include "appliance/identity/personal_data/records.h"
#include "appliance/identity/scim/protocol.h"
#include "store/transact.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/run_on.h"

namespace scim {

namespace {

namespace json = boost::json;

web::Error no_such_resource() { return web::not_found("No such resource"); }
web::Error name_taken() { return not_unique("Another user has this userName or address"); }

web::Error as_taken(web::Error error) {
  if (error.kind == web::Kind::conflict && error.code.empty()) error.code = "uniqueness";
  return error;
}

bool is_of_other_version(const web::Error& error) { return error.code == version_changed().code; }

std::string version_in(const json::object& resource) { return web::string_at(resource, "/meta/version"); }

// What was changed, for the audit log.
std::string summary_of(const accounts::User& before, const accounts::User& after) {
  std::string words = "changed by SCIM:";
  if (before.is_disabled != after.is_disabled) words += after.is_disabled ? " disabled" : " enabled";
  if (before.email != after.email) words += " address";
  if (before.name != after.name) words += " name";
  return words;
}

void say(const UserStatement& statement, ProvisionedUser& record) {
  record.user_name = statement.user_name;
  record.user_name_key = web::lower_case(statement.user_name);
  record.external_id = statement.external_id;
  record.given_name = statement.given_name;
  record.family_name = statement.family_name;
  record.updated_at = store::now();
  if (record.created_at == store::Time()) record.created_at = record.updated_at;
}

}  // namespace

std::string Provisioning::base() const { return site_.url(base_path); }

bool Provisioning::is_seen(const accounts::User& user) const {
  if (agentbox::is_reserved_email(user.email)) return false;
  if (system_.get(personal_data::account_deletions, user.id)) return false;
  return user.email_verified || user.is_admin || record_of(user.id);
}

std::optional<accounts::User> Provisioning::find(std::string_view text) const {
  const auto id = accounts::parse_user_id(text);
  auto found = id ? accounts_.find(*id) : std::nullopt;
  if (!found || !is_seen(*found)) return std::nullopt;
  return found;
}

std::optional<ProvisionedUser> Provisioning::record_of(store::UserId user) const {
  const auto record = system_.cached(provisioned_users, user);
  return record ? std::optional(*record) : std::nullopt;
}

json::object Provisioning::resource_of(const accounts::User& user) const {
  const auto record = record_of(user.id);
  auto resource = user_resource(base(), user, record ? &*record : nullptr, groups_.of(user.id));
  add_version(resource);
  return resource;
}

json::object Provisioning::resource_of(const groups::Group& group, bool has_members) const {
  auto resource = group_resource(base(), group);
  if (has_members) {
    json::array members;
    for (const auto& one : groups_.members(group.id)) {
      const auto user = accounts_.find(one.user);
      if (user && is_seen(*user)) members.push_back(member_of_group(base(), *user));
    }
    resource["members"] = std::move(members);
    add_version(resource);
  }
  return resource;
}

std::optional<json::object> Provisioning::user(std::string_view id) const {
  const auto found = find(id);
  return found ? std::optional(resource_of(*found)) : std::nullopt;
}

std::string Provisioning::separate_email(std::string_view id) const {
  const auto found = find(id);
  const auto record = found ? record_of(found->id) : std::nullopt;
  return record && record->user_name_key != found->email ? found->email : std::string();
}

std::optional<json::object> Provisioning::group(std::string_view id, bool has_members) const {
  const auto found = groups_.find(id);
  return found ? std::optional(resource_of(*found, has_members)) : std::nullopt;
}

std::vector<accounts::User> Provisioning::users_to_match(const std::optional<Filter>& filter) const {
  std::vector<accounts::User> found;
  const auto add = [&](std::optional<accounts::User> user) {
    if (user && is_seen(*user)) found.push_back(std::move(*user));
  };
  if (const auto name = filter ? filter->required("userName") : std::nullopt) {
    const auto record = system_.find_unique(provisioned_users, "user_name", web::lower_case(*name));
    add(record ? accounts_.find(record->value.user) : accounts_.find_by_email(web::lower_case(*name)));
  } else if (const auto id = filter ? filter->required("id") : std::nullopt) {
    add(find(*id));
  } else if (const auto external = filter ? filter->required("externalId") : std::nullopt) {
    for (const auto& record : system_.find(provisioned_users, "external", *external)) add(accounts_.find(record.user));
  } else {
    system_.each<accounts::User, std::int64_t>(accounts::users, [&](const accounts::User& user) {
      found.push_back(user);
      return true;
    });
    std::erase_if(found, [this](const accounts::User& user) { return !is_seen(user); });
  }
  return found;
}

std::vector<groups::Group> Provisioning::groups_to_match(const std::optional<Filter>& filter) const {
  auto found = groups_.list();
  if (!filter) return found;
  if (const auto name = filter->required("displayName"))
    std::erase_if(found, [&](const auto& group) { return !web::equal_ignoring_case(group.name, *name); });
  if (const auto id = filter->required("id")) std::erase_if(found, [&](const auto& group) { return group.id != *id; });
  if (const auto external = filter->required("externalId"))
    std::erase_if(found, [&](const auto& group) { return group.external_id != *external; });
  return found;
}

Page Provisioning::users(const Listing& listing) const {
  Page page;
  for (const auto& user : users_to_match(listing.filter)) {
    const bool is_on_page = page.total + 1 >= listing.start && page.resources.size() < listing.count;
    if (listing.filter) {
      auto resource = resource_of(user);
      if (!listing.filter->matches(resource)) continue;
      if (is_on_page) page.resources.push_back(std::move(resource));
    } else if (is_on_page) {
      page.resources.push_back(resource_of(user));
    }
    ++page.total;
  }
  return page;
}

Page Provisioning::groups(const Listing& listing) const {
  Page page;
  for (const auto& group : groups_to_match(listing.filter)) {
    if (listing.filter && !listing.filter->matches(resource_of(group, true))) continue;
    if (page.total + 1 >= listing.start && page.resources.size() < listing.count)
      page.resources.push_back(resource_of(group, listing.has_members));
    ++page.total;
  }
  return page;
}

web::Result<void> Provisioning::require_free_name(const std::string& key, store::UserId user) const {
  const auto record = system_.find_unique(provisioned_users, "user_name", key);
  if (record && record->value.user != user) return name_taken();
  // Others are known by their addresses, too.
  const auto account = accounts_.find_by_email(key);
  if (account && account->id != user && is_seen(*account)) return name_taken();
  return {};
}

web::Result<void> Provisioning::require_version(const json::object& resource, const Condition& condition) const {
  if (condition.empty() || lists_version(condition, version_in(resource))) return {};
  return version_changed();
}

web::Result<void> Provisioning::apply(const UserStatement& statement, const Condition& condition, accounts::User& user,
                                      accounts::SessionEpoch now, store::Change& change) const {
  if (const auto good = require_version(resource_of(user), condition); !good) return good.error();
  ProvisionedUser record{.user = user.id};
  if (auto row = system_.get(provisioned_users, user.id)) record = std::move(row->value);
  say(statement, record);
  if (const auto good = require_free_name(record.user_name_key, user.id); !good) return good.error();
  user.name = statement.display_name;
  user.email = statement.email;
  const bool is_suspended = user.is_disabled && record.suspended == user.sessions_since;
  if (statement.active == false && !user.is_disabled) {
    user.is_disabled = true;
    record.suspended = now;
  } else if (statement.active == true && is_suspended) {
    user.is_disabled = false;
    record.suspended = not_suspended;
  }
  store::put(change, system_, provisioned_users, record);
  return {};
}

web::Task<web::Result<accounts::User>> Provisioning::change(store::UserId user, UserStatement statement,
                                                            Condition condition) {
  const accounts::Accounts::Provision provision = [&](accounts::User& edited, accounts::SessionEpoch now,
                                                      store::Change& change) {
    return apply(statement, condition, edited, now, change);
  };
  co_return co_await accounts_.change_provisioned(user, provision);
}

web::Task<web::Result<accounts::User>> Provisioning::claim(accounts::User account, UserStatement statement) {
  const auto free = require_free_name(web::lower_case(statement.user_name), account.id);
  if (!free) co_return free.error();
  const accounts::Accounts::Also also = [this](const accounts::User& before, store::Change& change) {
    identities_.claim(before, change);
    return web::Result<void>();
  };
  const auto claimed = co_await accounts_.claim(std::move(account), also);
  if (!claimed) co_return claimed.error();
  identities_.claimed(claimed->id);
  Condition any;
  co_return co_await change(claimed->id, std::move(statement), std::move(any));
}

web::Task<web::Result<accounts::User>> Provisioning::create(UserStatement statement) {
  auto known = accounts_.find_by_email(statement.email);
  if (known && (is_seen(*known) || system_.get(personal_data::account_deletions, known->id))) co_return name_taken();
  if (known) co_return co_await claim(std::move(*known), std::move(statement));
  accounts::ProvisionedUser newcomer{
      .email = statement.email, .name = statement.display_name, .is_disabled = !statement.active.value_or(true)};
  const accounts::Accounts::Also also = [&](const accounts::User& user, store::Change& change) -> web::Result<void> {
    ProvisionedUser record{.user = user.id};
    say(statement, record);
    if (user.is_disabled) record.suspended = user.sessions_since;
    if (const auto good = require_free_name(record.user_name_key, user.id); !good) return good.error();
    change.insert(provisioned_users, record);
    return {};
  };
  co_return co_await accounts_.create_provisioned(std::move(newcomer), also);
}

web::Task<> Provisioning::note(audit::Entry entry, std::optional<web::Error> error) {
  if (error) entry.outcome = error->message;
  co_await audit_.note(std::move(entry));
}

web::Task<web::Result<json::object>> Provisioning::create_user(audit::Actor actor, UserStatement statement) {
  auto entry = audit::entry_by(actor, "created by SCIM", statement.email);
  auto created = co_await create(std::move(statement));
  if (!created) {
    auto error = as_taken(created.error());
    co_await note(std::move(entry), error);
    co_return error;
  }
  entry.user_id = created->id;
  co_await note(std::move(entry), {});
  co_return resource_of(*created);
}

web::Task<web::Result<json::object>> Provisioning::change_user(audit::Actor actor, std::string id,
                                                               UserStatement statement, Condition condition) {
  const auto before = find(id);
  if (!before) co_return no_such_resource();
  auto changed = co_await change(before->id, std::move(statement), std::move(condition));
  if (!changed && is_of_other_version(changed.error())) co_return changed.error();
  auto entry = audit::entry_by(actor, summary_of(*before, changed ? *changed : *before), before->email);
  entry.user_id = before->id;
  if (!changed) {
    auto error = as_taken(changed.error());
    co_await note(std::move(entry), error);
    co_return error;
  }
  co_await note(std::move(entry), {});
  co_return resource_of(*changed);
}

web::Task<web::Result<json::object>> Provisioning::patch_user(audit::Actor actor, std::string id,
                                                              json::array operations, Condition condition) {
  for (;;) {
    auto resource = user(id);
    if (!resource) co_return no_such_resource();
    if (const auto good = require_version(*resource, condition); !good) co_return good.error();
    auto version = version_in(*resource);
    if (const auto done = apply_patch(*resource, operations, user_attributes); !done) co_return done.error();
    auto statement = read_user(std::move(*resource));
    if (!statement) co_return statement.error();
    auto changed = co_await change_user(actor, id, std::move(*statement), std::move(version));
    if (changed || !is_of_other_version(changed.error())) co_return changed;
  }
}

web::Task<web::Result<void>> Provisioning::remove_user(audit::Actor actor, std::string id, Condition condition) {
  const auto leaving = find(id);
  if (!leaving) co_return no_such_resource();
  if (const auto good = require_version(resource_of(*leaving), condition); !good) co_return good.error();
  if (accounts_.is_admin(*leaving)) {
    auto error = web::forbidden("Administrators are removed on the box alone");
    auto entry = audit::entry_by(actor, "account deleted", leaving->email);
    entry.user_id = leaving->id;
    co_await note(std::move(entry), error);
    co_return error;
  }
  const auto erased = co_await deletions_.leave(actor, leaving->id);
  if (!erased) co_return erased.error();
  co_return web::Result<void>();
}

web::Result<groups::Roster> Provisioning::roster_of(const std::string& group,
                                                    const std::vector<store::UserId>& wanted) const {
  std::set<store::UserId> present;
  groups::Roster roster;
  const std::set<store::UserId> unique(wanted.begin(), wanted.end());
  for (const auto& one : groups_.members(group)) {
    present.insert(one.user);
    const auto user = accounts_.find(one.user);
    if (!unique.contains(one.user) && user && is_seen(*user)) roster.removed.push_back(one.user);
  }
  for (const auto id : unique) {
    if (present.contains(id)) continue;
    if (!find(std::to_string(id))) return web::invalid("members names no user: " + std::to_string(id));
    roster.added.push_back(id);
  }
  if (present.size() + roster.added.size() > groups::Groups::max_members)
    return web::Error{.kind = web::Kind::too_large, .message = "A group has at most 10000 members"};
  return roster;
}

web::Task<> Provisioning::note_roster(const audit::Actor& actor, const std::string& group,
                                      const groups::Roster& roster) {
  const auto each = [&](const std::vector<store::UserId>& users, std::string act) -> web::Task<> {
    for (const auto user : users) {
      auto entry = audit::entry_by(actor, act, group);
      entry.user_id = user;
      co_await audit_.note(std::move(entry));
    }
  };
  co_await each(roster.added, "group member added");
  co_await each(roster.removed, "group member removed");
}

web::Task<web::Result<json::object>> Provisioning::create_group(audit::Actor actor, GroupStatement statement) {
  auto entry = audit::entry_by(actor, "group created", statement.display_name);
  auto roster = roster_of({}, statement.members.value_or(std::vector<store::UserId>()));
  if (!roster) co_return roster.error();
  groups::Edit edit{.name = std::move(statement.display_name), .external_id = std::move(statement.external_id)};
  const auto created = co_await groups_.create(std::move(edit));
  if (!created) {
    auto error = as_taken(created.error());
    co_await note(std::move(entry), error);
    co_return error;
  }
  entry.subject = created->id;
  co_await note(std::move(entry), {});
  if (!roster->added.empty()) {
    groups::Edit unchanged;
    const groups::Groups::Check any = [](const groups::Group&) { return web::Result<void>(); };
    const auto filled = co_await groups_.provision(created->id, std::move(unchanged), *roster, any);
    if (!filled) co_return filled.error();
    co_await note_roster(actor, created->id, *roster);
  }
  co_return resource_of(*created, true);
}

web::Task<web::Result<json::object>> Provisioning::change_group(audit::Actor actor, std::string id,
                                                                GroupStatement statement, Condition condition) {
  const auto before = groups_.find(id);
  if (!before) co_return no_such_resource();
  groups::Roster roster;
  if (statement.members) {
    auto changed = roster_of(id, *statement.members);
    if (!changed) co_return changed.error();
    roster = std::move(*changed);
  }
  groups::Edit edit;
  const bool has_other_name = statement.display_name != before->name;
  if (has_other_name) edit.name = std::move(statement.display_name);
  edit.external_id = std::move(statement.external_id);
  const groups::Groups::Check check = [&](const groups::Group& group) {
    return require_version(resource_of(group, true), condition);
  };
  const auto changed = co_await groups_.provision(id, std::move(edit), roster, check);
  if (!changed && is_of_other_version(changed.error())) co_return changed.error();
  auto entry = audit::entry_by(actor, "group changed", id);
  if (!changed) {
    auto error = as_taken(changed.error());
    co_await note(std::move(entry), error);
    co_return error;
  }
  if (has_other_name || before->external_id != changed->external_id) co_await note(std::move(entry), {});
  co_await note_roster(actor, id, roster);
  co_return resource_of(*changed, true);
}

web::Task<web::Result<json::object>> Provisioning::patch_group(audit::Actor actor, std::string id,
                                                               json::array operations, Condition condition) {
  for (;;) {
    auto resource = group(id);
    if (!resource) co_return no_such_resource();
    if (const auto good = require_version(*resource, condition); !good) co_return good.error();
    auto version = version_in(*resource);
    // A thousand operations on ten thousand members take seconds.
    const auto work = [&]() -> web::Result<GroupStatement> {
      if (const auto done = apply_patch(*resource, operations, group_attributes); !done) return done.error();
      return read_group(std::move(*resource));
    };
    auto statement = co_await web::offload(blocking_, work);
    if (!statement) co_return statement.error();
    auto changed = co_await change_group(actor, id, std::move(*statement), std::move(version));
    if (changed || !is_of_other_version(changed.error())) co_return changed;
  }
}

web::Task<web::Result<void>> Provisioning::remove_group(audit::Actor actor, std::string id, Condition condition) {
  const auto resource = group(id);
  if (!resource) co_return no_such_resource();
  if (const auto good = require_version(*resource, condition); !good) co_return good.error();
  const auto removed = co_await groups_.remove(id);
  auto entry = audit::entry_by(actor, "group removed", id);
  std::optional<web::Error> error;
  if (!removed) error = removed.error();
  co_await note(std::move(entry), std::move(error));
  co_return removed;
}

personal_data::Part Provisioning::personal_data() const {
  return {.erase = [system = system_](store::UserId user) -> web::Task<> {
            const auto step = [&](store::Change& change) {
              if (const auto row = system.get(provisioned_users, user)) change.erase(provisioned_users, *row);
              return true;
            };
            co_await store::transact(system, step);
          },
          .write = [system = system_](store::UserId user, personal_data::Archive& archive) -> web::Task<> {
            const auto row = system.get(provisioned_users, user);
            if (!row) co_return;
            std::string line = json::serialize(personal_data::exported(row->value)) + "\n";
            co_await archive.add("provisioned_users.jsonl", std::move(line));
          }};
}

}  // namespace scim
