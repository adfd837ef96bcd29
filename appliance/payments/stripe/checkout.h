// Where users pay: pages of Stripe, each made for one user and one thing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/settings/settings.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/site.h"
#include "appliance/payments/stripe/api.h"
#include "appliance/payments/stripe/prices.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace payments::stripe {

// Callable from every thread; the arguments must outlive it. All functions return the URL of a page. Errors:
// unavailable without STRIPE_SECRET_KEY, or if nothing of the kind is sold; invalid, naming the field; and those of
// Api::post.
class Checkout {
 public:
  // Throws agentbox::UsageError for wrong STRIPE_PRICES.
  Checkout(store::System, const agentbox::Settings&, const agentbox::Site&, const accounts::Accounts&);

  const Prices& prices() const { return prices_; }

  // To subscribe to the plan; for a user who pays for a plan already, to change it.
  web::Task<web::Result<std::string>> plan(store::UserId, std::string name) const;
  // To buy a pack of credits, by its name in STRIPE_PRICES or its price at Stripe.
  web::Task<web::Result<std::string>> credits(store::UserId, std::string price) const;
  // To subscribe to more storage. Without a price: the only one that is sold.
  web::Task<web::Result<std::string>> storage(store::UserId, std::optional<std::string> price) const;
  // The billing portal: payment methods, invoices, changes, cancellation. not_found: the user has bought nothing yet.
  web::Task<web::Result<std::string>> portal(store::UserId) const;

 private:
  web::Task<web::Result<std::string>> open(store::UserId, Offer) const;
  web::Task<web::Result<std::string>> change_plan(store::UserId, std::string subscription) const;
  web::Result<const Offer*> find(Item::Kind, std::string_view field, const std::string& name) const;
  std::string customer_of(store::UserId) const;
  // The subscription at Stripe that pays for the user's plan; empty: none.
  std::string paid_plan_of(store::UserId) const;

  store::System system_;
  const agentbox::Site& site_;
  const accounts::Accounts& accounts_;
  const Api api_;
  const Prices prices_;
};

}  // namespace payments::stripe
