// Signatures of webhooks as standardwebhooks.com has them. Svix sends the same under names of its own.
#pragma once

#include <string>
#include <string_view>

#include "store/store.h"
#include "web/protocol/http.h"
#include "web/result.h"

namespace email_in {

// What a request says about itself.
struct Signature {
  std::string id;         // of the event
  std::string timestamp;  // seconds since 1970
  std::string signatures;
};

// unauthenticated: a header is missing, or the time differs from the box's by more than five minutes.
web::Result<Signature> signature_of(const web::Request&, store::Time now);

// The key of EMAIL_WEBHOOK_SECRET: what the base64 after whsec_ stands for, or the text itself. Empty: none is set, or
// it is not base64.
std::string signing_key(std::string_view secret);

// Whether one of the signatures (v1) is of these bytes. Never with an empty key.
bool is_signed(const Signature&, std::string_view body, std::string_view key);

}  // namespace email_in
