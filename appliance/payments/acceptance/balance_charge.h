// Users who have signed in can pay the gateway from their accounts on this box. The money is set aside before the sale
// is delivered, and given back if it is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/credits/credits.h"
#include "appliance/billing/spent_credentials/spent_credentials.h"
#include "appliance/payments/acceptance/sale.h"
#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/usdc.h"
#include "store/change.h"
#include "store/store.h"

namespace gateway {

struct BalancePayment {
  store::UserId user = 0;
  std::string reference;  // unique
  payments::Usdc amount;
  std::string what;  // for statements
};

// Callable from every thread. The parts of a payment are added to the caller's changes.
class BalanceSource {
 public:
  virtual ~BalanceSource() = default;
  virtual std::string_view way() const = 0;      // balance, credits
  virtual std::string_view network() const = 0;  // in answers
  virtual std::string available(store::UserId) const = 0;
  virtual void take(store::Change&, const BalancePayment&) const = 0;
  virtual void keep(store::Change&, const BalancePayment&) const = 0;
  virtual void give_back(store::Change&, const BalancePayment&) const = 0;
  // Why the change of take() was refused: payment_required with INSUFFICIENT_BALANCE. Nothing for another reason.
  virtual std::optional<web::Error> refusal(const store::Outcome&) const = 0;
};

// USDC on the box's own ledger.
class LedgerBalance final : public BalanceSource {
 public:
  explicit LedgerBalance(const ledger::Ledger& ledger) : ledger_(ledger) {}
  std::string_view way() const override { return "balance"; }
  std::string_view network() const override { return "ledger"; }
  std::string available(store::UserId) const override;
  void take(store::Change&, const BalancePayment&) const override;
  void keep(store::Change&, const BalancePayment&) const override {}
  void give_back(store::Change&, const BalancePayment&) const override;
  std::optional<web::Error> refusal(const store::Outcome&) const override;

 private:
  const ledger::Ledger& ledger_;
};

// Credits, of which one is a US cent.
class CreditBalance final : public BalanceSource {
 public:
  explicit CreditBalance(const credits::Credits& credits) : credits_(credits) {}
  std::string_view way() const override { return "credits"; }
  std::string_view network() const override { return "credits"; }
  std::string available(store::UserId) const override;
  void take(store::Change&, const BalancePayment&) const override;
  void keep(store::Change&, const BalancePayment&) const override;
  void give_back(store::Change&, const BalancePayment&) const override;
  std::optional<web::Error> refusal(const store::Outcome&) const override;

 private:
  const credits::Credits& credits_;
};

// Callable from every thread; the arguments must outlive it.
class BalanceCharge {
 public:
  BalanceCharge(store::System system, spent_credentials::SpentCredentials& spent,
                std::vector<const BalanceSource*> sources)
      : system_(std::move(system)), spent_(spent), sources_(std::move(sources)) {}

  const std::vector<const BalanceSource*>& sources() const { return sources_; }
  // `way`: of one of the sources. Errors: payment_required with INSUFFICIENT_BALANCE, and undelivered().
  web::Task<web::Result<SaleReceipt>> charge(std::string_view way, store::UserId, const Sale&);
  // Gives back what was set aside for sales that a crash cut off.
  web::Task<> refund_interrupted();

 private:
  using Row = spent_credentials::Row;

  const BalanceSource* source(std::string_view way) const;  // null: another way of payment
  web::Task<> keep(const BalanceSource&, const BalancePayment&, Row);
  web::Task<> give_back(const BalanceSource&, const BalancePayment&, const Row&);

  store::System system_;
  spent_credentials::SpentCredentials& spent_;
  const std::vector<const BalanceSource*> sources_;
};

}  // namespace gateway
