// Invite codes: the box makes them, and they admit newcomers where REGISTRATION is invite.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/accounts/plan_directory.h"
#include "appliance/identity/accounts/registration_policy.h"
#include "appliance/identity/groups/groups.h"
#include "appliance/identity/invites/records.h"
#include "web/result.h"
#include "web/task.h"

namespace invites {

struct NewInvites {
  std::int64_t count = 1, uses = 1;
  std::chrono::seconds lifetime = std::chrono::days(30);
  std::optional<std::string> plan, group;
  std::string note;
};

struct Generated {
  std::vector<std::string> codes;  // shown only once; the store has their hashes
  store::Time expires_at;
};

// What somebody holds who has used an invite up before registering.
struct Pass {
  std::string code;
  std::optional<std::string> plan, group;
  store::Time expires_at;
};

// A code is <id>-<secret>, in which case does not matter. Callable from every thread; the arguments must outlive it.
class Invites final : public accounts::Invitations {
 public:
  Invites(store::System system, const accounts::PlanDirectory& plans, const groups::Groups& groups)
      : system_(std::move(system)), plans_(plans), groups_(groups) {}

  // Errors of PlanDirectory::check. invalid: no such group.
  web::Task<web::Result<Generated>> generate(NewInvites);
  // Uses an invite once and returns a pass for one registration within an hour. not_found: there is no such invite, or
  // it is used up or expired.
  web::Task<web::Result<Pass>> consume(std::string code);
  web::Result<bool> redeem(const std::string& code, store::UserId newcomer, store::Change&) override;
  // Without passes; the first `limit` after the id `after`. Blocks.
  std::vector<Invite> list(std::string_view after, std::size_t limit) const;
  // not_found. Passes that were taken from it stay valid.
  web::Task<web::Result<void>> revoke(std::string id);
  // Removes what expired a month ago, and expired passes.
  web::Task<> sweep(store::Time now);

 private:
  // The unused and unexpired invite or pass of a code.
  std::optional<store::Row<Invite>> find(std::string_view code) const;

  store::System system_;
  const accounts::PlanDirectory& plans_;
  const groups::Groups& groups_;
};

}  // namespace invites
