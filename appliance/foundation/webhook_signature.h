// Signatures of webhooks as standardwebhooks.com has them. Svix sends the same under names of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace webhook_signature {

// What a request says about itself.
struct Signature {
  std::string id;         // of the event
  std::string timestamp;  // seconds since 1970
  std::string signatures;
};

// unauthenticated: a header is missing, or the time differs from the box's by more than five minutes.
web::Result<Signature> signature_of(const web::Request&, store::Time now);

// The key of a secret: what the base64 after whsec_ stands for, or the text itself. Empty: none is set, or
// it is not base64.
std::string signing_key(std::string_view secret);

// Whether one of the signatures (v1) is of these bytes. Never with an empty key.
bool is_signed(const Signature&, std::string_view body, std::string_view key);

// The value of Webhook-Signature for what the box sends: one `v1,` signature for each key, so that receivers can
// replace theirs.
std::string sign(const std::vector<std::string>& keys, std::string_view id, std::int64_t timestamp,
                 std::string_view body);

}  // namespace webhook_signature
