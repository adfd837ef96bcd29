// The signature of Stripe's webhooks: `Stripe-Signature: t=1700000000,v1=<hex>,...`, where v1 is the HMAC-SHA256 of
// "<t>.<body>" under the endpoint's secret.
#pragma once

#include <chrono>
#include <string_view>

#include "web/result.h"

namespace payments::stripe {

// How far the signature's time may be from the box's.
inline constexpr std::chrono::seconds signature_tolerance{300};

// invalid: the header is malformed, too old, or no v1 of it is of this body and secret. While a secret is replaced,
// Stripe sends one for each. `body`: the bytes as they were sent.
web::Result<void> verify_signature(std::string_view header, std::string_view body, std::string_view secret,
                                   std::chrono::sys_seconds now);

}  // namespace payments::stripe
