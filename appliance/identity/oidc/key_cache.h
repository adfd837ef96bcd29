// The keys that a provider publishes (JWKS), fetched on demand.
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

// Keys are cached for 24 hours. A token with an unknown key id makes the box fetch them again, at most once a minute;
// after a failure it waits five seconds. So a new key works at once, and clients cannot make the box flood the
// provider. Callable from every thread.
class KeyCache {
 public:
  using Clock = std::chrono::steady_clock;
  // `locate` finds the address of the JWKS document.
  using Locate = std::function<web::Task<web::Result<std::string>>()>;
  explicit KeyCache(Locate locate, std::function<Clock::time_point()> now = Clock::now)
      : locate_(std::move(locate)), now_(std::move(now)) {}

  // The key that the token names; nothing if the provider has no such key. bad_gateway: the provider does not answer.
  web::Task<web::Result<std::optional<crypto::VerificationKey>>> key_of(const crypto::UnverifiedJwt&);

 private:
  using Keys = std::shared_ptr<const std::vector<crypto::VerificationKey>>;

  bool may_fetch_for_unknown_key();
  bool has_just_failed();
  Keys cached(Clock::time_point now);
  web::Task<web::Result<Keys>> fetch();
  web::Task<web::Result<Keys>> fetch_unless_just_failed();

  const Locate locate_;
  const std::function<Clock::time_point()> now_;
  std::mutex mutex_;  // protects all below
  Keys keys_;
  Clock::time_point fetched_at_{};
  std::optional<Clock::time_point> failed_at_, fetched_for_unknown_key_at_;
};

}  // namespace oidc
