#include "appliance/identity/oidc/key_cache.h"

#include "appliance/identity/oauth/client.h"

namespace oidc {

namespace {

using namespace std::chrono_literals;

constexpr auto key_set_lifetime = 24h;
constexpr auto pause_for_unknown_key = 1min;
constexpr auto pause_after_failure = 5s;

}  // namespace

KeyCache::Keys KeyCache::cached(Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  return keys_ && now - fetched_at_ < key_set_lifetime ? keys_ : nullptr;
}

bool KeyCache::may_fetch_for_unknown_key() {
  const std::scoped_lock lock(mutex_);
  const auto now = now_();
  if (fetched_for_unknown_key_at_ && now - *fetched_for_unknown_key_at_ < pause_for_unknown_key) return false;
  fetched_for_unknown_key_at_ = now;
  return true;
}

bool KeyCache::has_just_failed() {
  const std::scoped_lock lock(mutex_);
  return failed_at_ && now_() - *failed_at_ < pause_after_failure;
}

web::Task<web::Result<KeyCache::Keys>> KeyCache::fetch() {
  const auto url = co_await locate_();
  if (!url) co_return url.error();
  const auto document = co_await oauth::get_json(*url);
  if (!document) co_return document.error();
  auto set = crypto::parse_key_set(boost::json::serialize(*document));
  if (!set)
    co_return web::Error{
        .kind = web::Kind::bad_gateway, .message = "The provider's keys cannot be read", .detail = set.error().message};
  const std::scoped_lock lock(mutex_);
  keys_ = std::make_shared<const std::vector<crypto::VerificationKey>>(std::move(*set));
  fetched_at_ = now_();
  co_return keys_;
}

web::Task<web::Result<KeyCache::Keys>> KeyCache::fetch_unless_just_failed() {
  if (has_just_failed())
    co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The provider's keys could not be had just now"};
  auto fetched = co_await fetch();
  if (!fetched) {
    const std::scoped_lock lock(mutex_);
    failed_at_ = now_();
  }
  co_return fetched;
}

web::Task<web::Result<std::optional<crypto::VerificationKey>>> KeyCache::key_of(const crypto::UnverifiedJwt& token) {
  Keys keys = cached(now_());
  if (!keys) {
    auto fetched = co_await fetch_unless_just_failed();
    if (!fetched) co_return fetched.error();
    keys = std::move(*fetched);
  }
  const auto* key = token.key_in(*keys);
  if (key == nullptr && may_fetch_for_unknown_key()) {
    auto fetched = co_await fetch_unless_just_failed();
    if (!fetched) co_return fetched.error();
    keys = std::move(*fetched);
    key = token.key_in(*keys);
  }
  co_return key != nullptr ? std::optional(*key) : std::nullopt;
}

}  // namespace oidc
