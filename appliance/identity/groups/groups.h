// Groups: made by the administrator, filled by the administrator or by the identity provider's claim.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/events.h"
#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/groups/records.h"
#include "appliance/identity/personal_data/personal_data.h"
#include "web/result.h"
#include "web/task.h"

namespace groups {

// Absent members stay as they are. Empty texts and lists remove what is there.
struct Edit {
  std::optional<std::string> name, claim, plan, external_id;
  std::optional<std::vector<std::string>> models, channels;
};

// Users who become members, or are none any more.
struct Roster {
  std::vector<store::UserId> added, removed;
};

// Callable from every thread; the arguments must outlive it.
class Groups {
 public:
  static constexpr std::size_t max_groups = 1'000, max_members = 10'000;

  Groups(store::System system, accounts::PlanDirectory& plans, const agentbox::Events& events)
      : system_(std::move(system)), plans_(plans), events_(events) {}

  // invalid: no name, or no such plan; conflict: the name or the claim is another group's; too_many.
  web::Task<web::Result<Group>> create(Edit);
  // The same, and not_found. Plans that members have stay.
  web::Task<web::Result<Group>> edit(std::string id, Edit);
  // With its memberships, and what subscribers of Events::group_removed keep of it. not_found.
  web::Task<web::Result<void>> remove(std::string id);
  // As the identity provider says, in one change: also who is a member. Users who are members, or are not, stay so.
  // Errors of `check`, of edit and of add.
  using Check = std::function<web::Result<void>(const Group&)>;
  web::Task<web::Result<Group>> provision(std::string id, Edit, Roster, Check check);
  std::optional<Group> find(std::string_view id) const;
  std::optional<Group> find_by_name(const std::string& name) const;  // in any case of ASCII letters
  std::vector<Group> list() const;                                   // by id

  // A member already keeps its source. Members without a plan get the group's. not_found: no such group or user.
  web::Task<web::Result<void>> add(std::string group, store::UserId, Source);
  // Adds the membership to the change that creates the newcomer. Returns the group's plan, for a newcomer who gets no
  // other. Without such a group nothing is added.
  std::optional<std::string> welcome(const std::string& group, store::UserId newcomer, Source, store::Change&) const;
  // not_found: not a member.
  web::Task<web::Result<void>> remove_member(std::string group, store::UserId);
  std::vector<Membership> members(const std::string& group) const;
  std::vector<Group> of(store::UserId) const;
  bool has(std::string_view group, store::UserId) const;

  // The user is in the groups with these claims and, among the memberships of the source `provider`, in no other.
  web::Task<> follow_claims(store::UserId, std::vector<std::string> claims);

  // What the user's groups allow together. Groups without such a list limit nothing; nothing: no group limits it.
  std::optional<std::vector<std::string>> models_of(store::UserId) const;
  std::optional<std::vector<std::string>> channels_of(store::UserId) const;

  personal_data::Part personal_data() const;

 private:
  web::Result<void> apply(Group&, Edit) const;
  std::vector<Membership> memberships_of(store::UserId) const;
  std::optional<std::vector<std::string>> allowed(store::UserId,
                                                  std::optional<std::vector<std::string>> Group::*list) const;

  web::Task<> assign_plan(const Group&, const std::vector<store::UserId>& newcomers);

  store::System system_;
  accounts::PlanDirectory& plans_;
  const agentbox::Events& events_;
};

}  // namespace groups
