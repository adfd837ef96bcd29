#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/credits/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace credits {

// Amounts are exact decimals of US dollars; a credit is a cent.
struct Account {
  std::int64_t credits = 0;  // whole ones that can be spent
  std::string balance;       // what can be spent
  std::string reserved;      // for model calls in progress
  std::string currency = "USD";
  bool payForCalls = false;  // credits pay for model calls beyond the plan's quota
};
BOOST_DESCRIBE_STRUCT(Account, (), (credits, balance, reserved, currency, payForCalls))

struct AccountChange {
  bool payForCalls = false;
};
BOOST_DESCRIBE_STRUCT(AccountChange, (), (payForCalls))

struct EntryView {
  std::string id;
  store::Time at;
  EntryKind kind;
  std::string amount;  // negative: taken
  std::string note;
  std::optional<std::string> reference, by;
};
BOOST_DESCRIBE_STRUCT(EntryView, (), (id, at, kind, amount, note, reference, by))

struct EntriesQuery {
  std::optional<web::Integer<1, 1'000>> limit;
  std::optional<web::Id> before;
};
BOOST_DESCRIBE_STRUCT(EntriesQuery, (), (limit, before))

struct EntryList {
  std::vector<EntryView> entries;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(EntryList, (), (entries, next))

struct UserEntriesQuery {
  web::Text<1, 20> userId;
  std::optional<web::Integer<1, 1'000>> limit;
  std::optional<web::Id> before;
};
BOOST_DESCRIBE_STRUCT(UserEntriesQuery, (), (userId, limit, before))

struct UserAccount {
  std::string userId;
  Account account;
  std::vector<EntryView> entries;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(UserAccount, (), (userId, account, entries, next))

struct AdjustmentRequest {
  web::Text<1, 20> userId, usd;
  web::Text<1, 500> reason;
};
BOOST_DESCRIBE_STRUCT(AdjustmentRequest, (), (userId, usd, reason))

struct Adjusted {
  bool success = true;
  EntryView entry;
  Account account;
};
BOOST_DESCRIBE_STRUCT(Adjusted, (), (success, entry, account))

web::Answer show_account(const Services&, const web::Request&);
web::Answer change_account(const Services&, const web::Request&, AccountChange);
web::Answer list_entries(const Services&, const web::Request&, EntriesQuery);

web::Answer show_user_account(const Services&, const web::Request&, UserEntriesQuery);
web::Answer adjust_account(const Services&, const web::Request&, AdjustmentRequest);

}  // namespace credits
