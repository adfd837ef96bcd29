// Money that moves: the services that its capabilities share, built in order, and the capabilities themselves.
#pragma once

#include "appliance/hosting/module.h"
#include "appliance/payments/capabilities.h"
#include "appliance/payments/stripe/checkout.h"

namespace payments {

class Module {
 public:
  // All of them must outlive this.
  explicit Module(hosting::Module& given_hosting)
      : platform(given_hosting.platform),
        identity(given_hosting.identity),
        billing(given_hosting.billing),
        models(given_hosting.models),
        hosting(given_hosting),
        checkout(platform.system, platform.settings, identity.site, identity.accounts),
        capabilities_(payments::capabilities(), *this) {}

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }

  const agentbox::Platform& platform;
  identity::Module& identity;
  billing::Module& billing;
  models::Module& models;
  hosting::Module& hosting;

  const stripe::Checkout checkout;

 private:
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace payments
