#include "appliance/hosting/notices/push.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/json.hpp>
#include <stdexcept>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/certificates.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/crypto/web_push.h"
#include "appliance/foundation/ordered_id.h"
#include "appliance/hosting/channels/adapter.h"
#include "appliance/identity/kept_keys.h"
#include "web/ascii.h"
#include "web/client/fetch_url.h"
#include "web/json.h"
#include "web/log.h"

namespace notices {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view key_purpose = "web push";
constexpr std::chrono::seconds lifetime = 24h, first_pause = 2s, longest_pause = 10min;
constexpr auto token_lifetime = 12h;  // RFC 8292 allows 24
constexpr auto longest_sleep = 30s;

crypto::PushReceiver receiver_of(std::string_view public_key, std::string_view secret) {
  return {.public_key = crypto::from_base64url(public_key).value_or(""),
          .secret = crypto::from_base64url(secret).value_or("")};
}

std::chrono::milliseconds pause_after(std::int64_t attempts) {
  const auto doublings = std::min<std::int64_t>(attempts, 10);
  return std::min<std::chrono::milliseconds>(first_pause * (std::int64_t(1) << doublings), longest_pause);
}

std::string_view name_of(Urgency urgency) { return boost::describe::enum_to_string(urgency, "normal"); }

crypto::JwtSigner box_key(const store::System& system) {
  const std::string purpose(key_purpose);
  if (!system.get(identity::kept_keys, purpose)) {
    auto change = system.change();
    change.insert(identity::kept_keys, {.purpose = purpose, .key = {crypto::hex(crypto::make_key())}});
    change.commit_blocking();
  }
  const auto kept = system.get(identity::kept_keys, purpose);
  auto key = kept ? crypto::JwtSigner::from_text(crypto::unhex(kept->value.key.clear)) : std::nullopt;
  if (!key) throw std::runtime_error("the box's key for Web Push cannot be read");
  return *std::move(key);
}

web::Result<void> check(const Subscription& subscription, web::Reach reach) {
  const auto url = web::parse_fetch_url(subscription.endpoint);
  if (!url) return web::invalid("endpoint must be an https address");
  if (reach == web::Reach::public_only && (url->scheme != "https" || web::is_private_host(*url)))
    return web::invalid("endpoint must be a public https address");
  if (!crypto::is_push_receiver(receiver_of(subscription.public_key, subscription.secret)))
    return web::invalid("keys must be p256dh, a point on P-256, and auth, 16 bytes, in base64url");
  return {};
}

}  // namespace

std::string device_id(std::string_view endpoint) {
  constexpr std::size_t digits = 24;
  return "pd_" + crypto::sha256_hex(endpoint).substr(0, digits);
}

Push::Push(store::System system, PushOptions options, boost::asio::io_context& home)
    : system_(std::move(system)),
      options_(std::move(options)),
      home_(home),
      key_(box_key(system_)),
      tasks_(home, "push_failed") {}

std::string Push::public_key() const {
  const auto jwk = key_.public_jwk();
  const auto coordinate = [&](std::string_view name) {
    return crypto::from_base64url(web::string_member(jwk, name)).value_or("");
  };
  return crypto::to_base64url("\x04" + coordinate("x") + coordinate("y"));
}

web::Task<web::Result<PushDevice>> Push::add(store::UserId user, std::string name, Subscription subscription) {
  if (const auto good = check(subscription, options_.reach); !good) co_return good.error();
  PushDevice device{.owner = user,
                    .id = device_id(subscription.endpoint),
                    .name = std::move(name),
                    .endpoint = {std::move(subscription.endpoint)},
                    .secret = {std::move(subscription.secret)},
                    .public_key = std::move(subscription.public_key),
                    .error = {},
                    .created_at = store::now(),
                    .last_used_at = {}};
  for (;;) {
    auto change = system_.change();
    const auto known = system_.find_unique(devices_table, "device", device.id);
    if (known && known->value.owner == user) {
      auto row = *known;
      device.created_at = row.value.created_at;
      device.last_used_at = row.value.last_used_at;
      row.value = device;
      change.update(devices_table, row);
    } else {
      if (devices(user).size() >= max_devices)
        co_return web::conflict("There are " + std::to_string(max_devices) + " devices: remove one first.");
      if (known) {  // its unique id is free for the next change
        erase(change, known->value.owner, device.id);
        co_await change.commit();
        continue;
      }
      change.insert(devices_table, device);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return device;
  }
}

web::Task<web::Result<void>> Push::remove(store::UserId user, std::string id) {
  if (!system_.get(devices_table, user, id)) co_return web::not_found("No such device");
  for (bool is_removed = false; !is_removed;) {  // its lane may write what came of a message meanwhile
    auto change = system_.change();
    erase(change, user, id);
    const auto outcome = co_await change.commit();
    is_removed = outcome.ok();
  }
  co_return web::Result<void>();
}

void Push::remove_all(store::UserId user, store::Change& change) const {
  for (const auto& device : devices(user)) erase(change, user, device.id);
}

void Push::erase(store::Change& change, store::UserId user, const std::string& id) const {
  if (const auto row = system_.get(devices_table, user, id)) change.erase(devices_table, *row);
  for (const auto& message : system_.tenant(user).find(push_messages, "device", id))
    if (const auto row = system_.get(push_messages, user, message.id)) change.erase(push_messages, *row);
}

std::vector<PushDevice> Push::devices(store::UserId user) const { return system_.tenant(user).list(devices_table); }

std::size_t Push::add_messages(store::Change& change, store::UserId user, const boost::json::object& payload,
                               Urgency urgency) const {
  const auto all = devices(user);
  const auto now = store::now();
  for (const auto& device : all) {
    auto waiting = system_.tenant(user).find(push_messages, "device", device.id);
    for (std::size_t at = 0; at + max_waiting_pushes <= waiting.size(); ++at)
      if (const auto row = system_.get(push_messages, user, waiting[at].id)) change.erase(push_messages, *row);
    change.insert_new(push_messages, PushMessage{.owner = user,
                                                 .id = device.id + "." + agentbox::ordered_id(now),
                                                 .device = device.id,
                                                 .payload = {boost::json::serialize(payload)},
                                                 .urgency = urgency,
                                                 .created_at = now,
                                                 .next_at = now,
                                                 .expires_at = now + lifetime});
  }
  return all.size();
}

void Push::wake(store::UserId user) {
  boost::asio::post(home_, [this, user] {
    for (const auto& device : devices(user))
      if (lanes_.insert(device.id).second) tasks_.spawn(device.id, run_lane(user, device.id));
  });
}

void Push::start() {
  std::set<store::UserId> waiting;
  system_.each(push_messages, [&](const PushMessage& message) {
    waiting.insert(message.owner);
    return true;
  });
  for (const auto user : waiting) wake(user);
}

web::Task<> Push::stop() { return tasks_.stop(); }

web::Task<> Push::run_lane(store::UserId user, std::string device) {
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = co_await send_next(user, device);
    } catch (const boost::system::system_error& error) {
      if (error.code() == boost::asio::error::operation_aborted) throw;
      web::log::error("push_failed", {{"reason", std::string(error.what())}});
      goes_on = false;
    } catch (const std::exception& error) {
      web::log::error("push_failed", {{"reason", std::string(error.what())}});
      goes_on = false;
    }
  }
  lanes_.erase(device);
}

web::Task<bool> Push::send_next(store::UserId user, const std::string& id) {
  const auto waiting = system_.tenant(user).find(push_messages, "device", id, 1);
  const auto device = system_.get(devices_table, user, id);
  if (waiting.empty() || !device) co_return false;
  const auto& message = waiting.front();
  const auto now = store::now();
  if (message.expires_at <= now) {
    co_await drop(user, message.id);
    co_return true;
  }
  if (message.next_at > now) {
    co_await web::sleep_for(std::min<std::chrono::milliseconds>(message.next_at - now, longest_sleep));
    co_return true;
  }
  const auto failure = co_await send(device->value, message);
  if (!failure) {
    co_await drop(user, message.id);
    co_await note(device->value, {});
    co_return true;
  }
  if (failure->is_gone) {
    web::log::info("push_device_gone", {{"device", id}, {"reason", failure->reason}});
    const auto removed = co_await remove(user, id);
    co_return false;
  }
  co_await note(device->value, failure->reason);
  if (failure->is_final) {
    web::log::warning("push_message_dropped", {{"device", id}, {"reason", failure->reason}});
    co_await drop(user, message.id);
    co_return true;
  }
  const auto pause = failure->retry_after.value_or(pause_after(message.attempts));
  const auto postpone = [pause](PushMessage& stored) {
    ++stored.attempts;
    stored.next_at = store::now() + pause;
  };
  co_await system_.modify(push_messages, user, message.id, postpone);
  co_return true;
}

web::Task<std::optional<Push::Failure>> Push::send(const PushDevice& device, const PushMessage& message) const {
  const auto& endpoint = device.endpoint.clear;
  const auto left = std::chrono::ceil<std::chrono::seconds>(message.expires_at - store::now());
  web::FetchRequest request;
  request.url = endpoint;
  request.method = "POST";
  request.body = crypto::encrypt_push(receiver_of(device.public_key, device.secret.clear), message.payload.clear);
  request.headers = {{"TTL", std::to_string(std::max<std::int64_t>(left.count(), 0))},
                     {"Urgency", std::string(name_of(message.urgency))},
                     {"Content-Encoding", "aes128gcm"},
                     {"Content-Type", "application/octet-stream"},
                     {"Authorization", authorization(endpoint)}};
  request.reach = options_.reach;
  request.origin = {.part = "push", .user = device.owner, .agent = {}};
  request.timeout = 15s;
  request.max_bytes = 64u << 10;
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) {
    const auto failed = channels::failure_of(answer.error(), false);
    co_return Failure{.reason = failed.reason, .is_final = failed.is_final};
  }
  if (answer->status / 100 == 2) co_return std::nullopt;
  const auto failed = channels::failure_of(
      *answer, "The browser's push service answered with status " + std::to_string(answer->status) + ".");
  co_return Failure{.reason = failed.reason,
                    .is_gone = answer->status == 404 || answer->status == 410,
                    .is_final = failed.is_final,
                    .retry_after = failed.retry_after};
}

// RFC 8292: who sends, to which push service, and until when.
std::string Push::authorization(const std::string& endpoint) const {
  const auto url = web::parse_fetch_url(endpoint);
  const bool is_usual_port = url->port == (url->scheme == "https" ? "443" : "80");
  const auto expiry = std::chrono::floor<std::chrono::seconds>(store::now() + token_lifetime);
  boost::json::object claims{{"aud", url->scheme + "://" + (is_usual_port ? url->host : url->authority())},
                             {"exp", expiry.time_since_epoch().count()}};
  if (auto contact = options_.contact(); !contact.empty()) claims["sub"] = std::move(contact);
  return "vapid t=" + key_.sign({}, claims) + ", k=" + public_key();
}

web::Task<> Push::drop(store::UserId user, std::string message) {
  const auto row = system_.get(push_messages, user, message);
  if (!row) co_return;
  auto change = system_.change();
  change.erase(push_messages, *row);
  co_await change.commit();
}

web::Task<> Push::note(const PushDevice& device, std::string error) {
  const auto edit = [&](PushDevice& stored) {
    stored.error = error;
    if (error.empty()) stored.last_used_at = store::now();
  };
  co_await system_.modify(devices_table, device.owner, device.id, edit);
}

}  // namespace notices
