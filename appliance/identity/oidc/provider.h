// An OpenID provider: its endpoints and keys, discovered from its issuer.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "appliance/identity/oidc/key_cache.h"
#include "web/result.h"
#include "web/task.h"

namespace oidc {

struct Endpoints {
  std::string authorization, token, userinfo, keys;  // userinfo may be empty
  bool has_offline_scope = false;                    // else offline access is requested with Google's parameter
  bool takes_basic = true;                           // the client's secret in the Authorization header
};

// Callable from every thread.
class Provider {
 public:
  explicit Provider(std::string issuer);

  bool is_configured() const { return !issuer_.empty(); }
  const std::string& issuer() const { return issuer_; }
  // From the issuer's discovery document, cached for 24 hours. bad_gateway: there is none, or it is another issuer's.
  web::Task<web::Result<std::shared_ptr<const Endpoints>>> endpoints();
  KeyCache& keys() { return keys_; }

 private:
  using Clock = std::chrono::steady_clock;

  const std::string issuer_;
  std::mutex mutex_;  // protects the two below
  std::shared_ptr<const Endpoints> endpoints_;
  Clock::time_point fetched_at_{};
  KeyCache keys_;
};

// Equal but for one trailing slash.
bool same_issuer(std::string_view, std::string_view);

}  // namespace oidc
