// The accounts that users who have signed in can pay the gateway from. What is paid is set aside before the sale is
// delivered, and given back if it is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/billing/credits/credits.h"
#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/usdc.h"
#include "store/change.h"

namespace gateway {

struct PursePayment {
  store::UserId user = 0;
  std::string reference;  // unique
  payments::Usdc amount;
  std::string what;  // for statements
};

// Callable from every thread. The parts of a payment are added to the caller's changes.
class Purse {
 public:
  virtual ~Purse() = default;
  virtual std::string_view way() const = 0;      // balance, credits
  virtual std::string_view network() const = 0;  // in answers
  virtual std::string available(store::UserId) const = 0;
  virtual void take(store::Change&, const PursePayment&) const = 0;
  virtual void keep(store::Change&, const PursePayment&) const = 0;
  virtual void give_back(store::Change&, const PursePayment&) const = 0;
  // Why the change of take() was refused: payment_required with INSUFFICIENT_BALANCE. Nothing for another reason.
  virtual std::optional<web::Error> refusal(const store::Outcome&) const = 0;
};

// USDC on the box's own ledger.
class LedgerPurse final : public Purse {
 public:
  explicit LedgerPurse(const ledger::Ledger& ledger) : ledger_(ledger) {}
  std::string_view way() const override { return "balance"; }
  std::string_view network() const override { return "ledger"; }
  std::string available(store::UserId) const override;
  void take(store::Change&, const PursePayment&) const override;
  void keep(store::Change&, const PursePayment&) const override {}
  void give_back(store::Change&, const PursePayment&) const override;
  std::optional<web::Error> refusal(const store::Outcome&) const override;

 private:
  const ledger::Ledger& ledger_;
};

// Credits, of which one is a US cent.
class CreditPurse final : public Purse {
 public:
  explicit CreditPurse(const credits::Credits& credits) : credits_(credits) {}
  std::string_view way() const override { return "credits"; }
  std::string_view network() const override { return "credits"; }
  std::string available(store::UserId) const override;
  void take(store::Change&, const PursePayment&) const override;
  void keep(store::Change&, const PursePayment&) const override;
  void give_back(store::Change&, const PursePayment&) const override;
  std::optional<web::Error> refusal(const store::Outcome&) const override;

 private:
  const credits::Credits& credits_;
};

}  // namespace gateway
