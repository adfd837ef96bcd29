// The signature of a provider's webhook: t=<seconds of Unix time>,v1=<64 lower-case hex digits>.
#pragma once

#include <chrono>
#include <string_view>

#include "store/codec.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace stream_webhooks {

inline constexpr std::chrono::minutes tolerance{5};

// Checks that the request's stream-signature, or mux-signature, is the HMAC-SHA256 of "<t>.<body>" by this secret. In
// this order: unauthenticated without the header; forbidden if it has another form or comes twice, if its time is more
// than five minutes in the past or the future, if there is no secret, and if the signature is wrong. There may be
// several v1, while the provider changes its secret: one of them must be right.
web::Result<void> verify(const web::Request&, std::string_view secret, store::Time now);

}  // namespace stream_webhooks
