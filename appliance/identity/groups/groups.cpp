#include "appliance/identity/groups/groups.h"

#include <algorithm>
#include <set>

#include "appliance/access/records.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/personal_data/archive.h"
#include "appliance/identity/personal_data/exported.h"
#include "store/transact.h"

namespace groups {

namespace {

constexpr std::size_t id_length = 20;

std::string membership_id(std::string_view group, store::UserId user) {
  return std::string(group) + "/" + std::to_string(user);
}

std::optional<web::Result<Group>> taken(const store::Outcome& outcome) {
  if (outcome.duplicate("name")) return web::conflict("Another group has this name");
  if (outcome.duplicate("claim")) return web::conflict("Another group has this claim");
  return std::nullopt;
}

// An empty list is none.
std::optional<std::vector<std::string>> list_of(std::vector<std::string> given) {
  if (given.empty()) return std::nullopt;
  return given;
}

}  // namespace

web::Result<void> Groups::apply(Group& group, Edit edit) const {
  if (edit.plan && !edit.plan->empty())
    if (const auto known = plans_.check(*edit.plan); !known) return known.error();
  if (edit.name) group.name = std::move(*edit.name);
  if (edit.claim) group.claim = std::move(*edit.claim);
  if (edit.external_id) group.external_id = std::move(*edit.external_id);
  if (edit.plan) {
    group.plan.reset();
    if (!edit.plan->empty()) group.plan = std::move(*edit.plan);
  }
  if (edit.models) group.models = list_of(std::move(*edit.models));
  if (edit.channels) group.channels = list_of(std::move(*edit.channels));
  if (group.name.empty()) return web::invalid("name is required");
  group.updated_at = store::now();
  return {};
}

web::Task<web::Result<Group>> Groups::create(Edit edit) {
  const auto step = [&](store::Change& change) -> web::Result<Group> {
    if (list().size() >= max_groups) return web::Error{.kind = web::Kind::too_many, .message = "Too many groups"};
    Group group;
    group.id = "gr_" + crypto::random_id(id_length);
    group.created_at = store::now();
    if (const auto good = apply(group, edit); !good) return good.error();
    change.insert(table, group);
    return group;
  };
  co_return co_await store::transact(system_, step, taken);
}

web::Task<web::Result<Group>> Groups::edit(std::string id, Edit edit) {
  const auto step = [&](store::Change& change) -> web::Result<Group> {
    auto row = system_.get(table, id);
    if (!row) return web::not_found("No such group");
    if (const auto good = apply(row->value, edit); !good) return good.error();
    change.update(table, *row);
    return row->value;
  };
  co_return co_await store::transact(system_, step, taken);
}

web::Task<web::Result<void>> Groups::remove(std::string id) {
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = system_.get(table, id);
    if (!row) return web::not_found("No such group");
    change.erase(table, *row);
    for (const auto& one : members(id))
      if (const auto member = system_.get(memberships, one.id)) change.erase(memberships, *member);
    events_.group_removed.publish(id, change);
    return web::Result<void>();
  };
  co_return co_await store::transact(system_, step);
}

web::Task<web::Result<Group>> Groups::provision(std::string id, Edit given, Roster roster, Check check) {
  std::vector<store::UserId> newcomers;
  const auto step = [&](store::Change& change) -> web::Result<Group> {
    newcomers.clear();
    auto row = system_.get(table, id);
    if (!row) return web::not_found("No such group");
    if (const auto good = check(row->value); !good) return good.error();
    if (const auto good = apply(row->value, given); !good) return good.error();
    change.update(table, *row);
    for (const auto user : roster.removed)
      if (const auto member = system_.get(memberships, membership_id(id, user))) change.erase(memberships, *member);
    for (const auto user : roster.added) {
      if (system_.get(memberships, membership_id(id, user))) continue;
      const auto account = system_.get(accounts::users, user);
      if (!account) return web::not_found("No such user");
      change.require(accounts::users, *account);
      const Membership member{
          .id = membership_id(id, user), .group = id, .user = user, .source = Source::scim, .since = store::now()};
      change.insert(memberships, member);
      newcomers.push_back(user);
    }
    return row->value;
  };
  auto changed = co_await store::transact(system_, step, taken);
  if (changed) co_await assign_plan(*changed, newcomers);
  co_return changed;
}

// Of members who have none. One who has left the box meanwhile needs none.
web::Task<> Groups::assign_plan(const Group& group, const std::vector<store::UserId>& newcomers) {
  if (!group.plan) co_return;
  for (const auto user : newcomers)
    if (!plans_.held(user)) static_cast<void>(co_await plans_.assign(user, *group.plan));
}

std::optional<Group> Groups::find_by_name(const std::string& name) const {
  auto row = system_.find_unique(table, "name", web::lower_case(name));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::optional<Group> Groups::find(std::string_view id) const {
  const auto group = system_.cached(table, std::string(id));
  if (!group) return std::nullopt;
  return *group;
}

std::vector<Group> Groups::list() const {
  std::vector<Group> all;
  system_.each(table, [&](const Group& group) {
    all.push_back(group);
    return true;
  });
  return all;
}

web::Task<web::Result<void>> Groups::add(std::string group, store::UserId user, Source source) {
  std::optional<std::string> plan;
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = system_.get(table, group);
    if (!row) return web::not_found("No such group");
    const auto account = system_.get(accounts::users, user);
    if (!account) return web::not_found("No such user");
    plan = row->value.plan;
    if (system_.get(memberships, membership_id(group, user))) return web::Result<void>();
    change.require(table, *row);
    change.require(accounts::users, *account);
    const Membership member{
        .id = membership_id(group, user), .group = group, .user = user, .source = source, .since = store::now()};
    change.insert(memberships, member);
    return web::Result<void>();
  };
  auto added = co_await store::transact(system_, step);
  if (added && plan && !plans_.held(user)) co_return co_await plans_.assign(user, std::move(*plan));
  co_return added;
}

std::optional<std::string> Groups::welcome(const std::string& group, store::UserId newcomer, Source source,
                                           store::Change& change) const {
  const auto row = system_.get(table, group);
  if (!row) return std::nullopt;
  change.require(table, *row);
  const Membership member{
      .id = membership_id(group, newcomer), .group = group, .user = newcomer, .source = source, .since = store::now()};
  change.insert(memberships, member);
  return row->value.plan;
}

web::Task<web::Result<void>> Groups::remove_member(std::string group, store::UserId user) {
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = system_.get(memberships, membership_id(group, user));
    if (!row) return web::not_found("Not a member of this group");
    change.erase(memberships, *row);
    return web::Result<void>();
  };
  co_return co_await store::transact(system_, step);
}

std::vector<Membership> Groups::members(const std::string& group) const {
  return system_.find(memberships, "group", group, max_members);
}

std::vector<Membership> Groups::memberships_of(store::UserId user) const {
  return system_.find(memberships, "user", user, max_groups);
}

std::vector<Group> Groups::of(store::UserId user) const {
  std::vector<Group> found;
  for (const auto& one : memberships_of(user))
    if (auto group = find(one.group)) found.push_back(std::move(*group));
  return found;
}

bool Groups::has(std::string_view group, store::UserId user) const {
  return system_.cached(memberships, membership_id(group, user)) != nullptr;
}

web::Task<> Groups::follow_claims(store::UserId user, std::vector<std::string> claims) {
  std::set<std::string, std::less<>> wanted;
  for (const auto& claim : claims) {
    if (claim.empty()) continue;
    const auto group = system_.find_unique(table, "claim", claim);
    if (group) wanted.insert(group->value.id);
  }
  for (const auto& one : memberships_of(user))
    if (one.source == Source::provider && !wanted.contains(one.group)) co_await remove_member(one.group, user);
  for (const auto& group : wanted) co_await add(group, user, Source::provider);
}

std::optional<std::vector<std::string>> Groups::allowed(store::UserId user,
                                                        std::optional<std::vector<std::string>> Group::*list) const {
  std::optional<std::vector<std::string>> all;
  for (const auto& group : of(user)) {
    const auto& own = group.*list;
    if (!own) continue;
    if (!all) all.emplace();
    for (const auto& name : *own)
      if (std::ranges::find(*all, name) == all->end()) all->push_back(name);
  }
  return all;
}

std::optional<std::vector<std::string>> Groups::models_of(store::UserId user) const {
  return allowed(user, &Group::models);
}

std::optional<std::vector<std::string>> Groups::channels_of(store::UserId user) const {
  return allowed(user, &Group::channels);
}

personal_data::Part Groups::personal_data() const {
  return {.erase = [system = system_](store::UserId user) -> web::Task<> {
            for (;;) {
              auto change = system.change();
              const auto found = system.find(memberships, "user", user, max_groups);
              if (found.empty()) co_return;
              for (const auto& one : found)
                if (const auto row = system.get(memberships, one.id)) change.erase(memberships, *row);
              co_await change.commit(store::Durability::relaxed);
            }
          },
          .write = [system = system_](store::UserId user, personal_data::Archive& archive) -> web::Task<> {
            std::string lines;
            for (const auto& one : system.find(memberships, "user", user, max_groups))
              lines += boost::json::serialize(personal_data::exported(one)) + "\n";
            if (!lines.empty()) co_await archive.add("group_members.jsonl", std::move(lines));
          }};
}

}  // namespace groups
