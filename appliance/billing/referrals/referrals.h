// Referrals: users who have registered with another user's code, and the credits that both get for it. Since anybody
// can register, the credits wait until the new user's address is verified and a payment or an administrator vouches for
// them (REFERRAL_CREDIT).
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/credits/account.h"
#include "appliance/identity/accounts/accounts.h"
#include "web/result.h"
#include "web/task.h"

namespace billing::referrals {

// A referral whose credits are pending. Gone once they are granted or refused.
struct Referral {
  std::int64_t user_id = 0;     // the new user
  std::string id = "referral";  // record id within the owner; there is one
  std::int64_t referrer_id = 0;
  store::Time created_at{};
  bool has_paid = false, is_approved = false;
};
BOOST_DESCRIBE_STRUCT(Referral, (), (user_id, id, referrer_id, created_at, has_paid, is_approved))

inline const store::Owned<Referral> pending{
    {.family = "referrals", .number = 172}, &Referral::user_id, &Referral::id, {}};

BOOST_DEFINE_ENUM_CLASS(When, payment, approval, registration)

// Callable from every thread; the arguments must outlive it.
class Referrals {
 public:
  // `when`: payment, approval or registration (REFERRAL_CREDIT).
  Referrals(store::System, const accounts::Accounts&, std::string_view when);

  When when() const { return when_; }
  // Adds to the change that creates `user`: the pending referral, or the credits of both users.
  void add(store::Change&, const accounts::User& user, const accounts::User& referrer) const;
  // Adds to the change that records a user's payment: the credits, if nothing else is missing.
  void note_payment(store::Change&, store::UserId) const;
  // Grants the credits, or does so once the address is verified. not_found: no referral of this user is pending.
  web::Task<web::Result<Referral>> approve(store::UserId);
  // Nobody gets credits. not_found.
  web::Task<web::Result<Referral>> refuse(store::UserId);
  // The users whose credits only waited for the address, which was verified meanwhile. Reads the table and blocks.
  std::vector<store::UserId> due() const;
  // Grants the credits of such a user; no effect for others.
  web::Task<> settle(store::UserId);
  // By the new users' ids, after `after`. Reads the table and blocks.
  std::vector<Referral> list(store::UserId after, std::size_t limit) const;

 private:
  bool is_due(const Referral&) const;
  // Adds the changed referral, or the credits if they are due.
  void put(store::Change&, store::Row<Referral>) const;

  store::System system_;
  const accounts::Accounts& accounts_;
  const When when_;
};

}  // namespace billing::referrals
