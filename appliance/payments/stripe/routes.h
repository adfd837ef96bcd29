#pragma once

#include <string>
#include <vector>

#include "appliance/identity/guards.h"
#include "appliance/payments/stripe/checkout.h"
#include "appliance/payments/stripe/events.h"
#include "web/routes/bind.h"
#include "web/routes/route.h"

namespace payments::stripe {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Checkout& checkout;
  Events& events;
  const std::string& webhook_secret;  // empty: there is none
};

// /api/stripe: redirects to Stripe's pages; and its webhook.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace payments::stripe
