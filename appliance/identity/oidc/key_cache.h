// The keys that a provider publishes, fetched when they are needed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/jwt.h"
#include "web/result.h"
#include "web/task.h"

namespace oidc {

// Keys are kept for 24 hours; a token that names an unknown one has them fetched again, at most once a minute, and
// while there are none the provider is asked at most every five seconds: so a new key works at once, and strangers
// cannot have the box ask for ever. Callable from every thread.
class KeyCache {
 public:
  using Clock = std::chrono::steady_clock;
  // `locate` finds the address of the JWKS document.
  using Locate = std::function<web::Task<web::Result<std::string>>()>;
  explicit KeyCache(Locate locate, std::function<Clock::time_point()> now = Clock::now)
      : locate_(std::move(locate)), now_(std::move(now)) {}

  // The key that the token names; nothing when the provider has none such. bad_gateway: the provider does not answer.
  web::Task<web::Result<std::optional<crypto::VerificationKey>>> key_of(const crypto::UnverifiedJwt&);

 private:
  using Keys = std::shared_ptr<const std::vector<crypto::VerificationKey>>;

  bool may_ask_for_unknown_key();
  bool has_just_failed();
  Keys kept(Clock::time_point now);
  web::Task<web::Result<Keys>> fetch();
  web::Task<web::Result<Keys>> ask();

  const Locate locate_;
  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;  // protects all below
  Keys keys_;
  Clock::time_point fetched_at_{};
  std::optional<Clock::time_point> failed_at_, asked_for_unknown_key_at_;
};

}  // namespace oidc
