#include "appliance/identity/accounts/known_devices.h"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <charconv>
#include <vector>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace accounts {

namespace {

constexpr char between = '~';
constexpr std::size_t id_bytes = 12, mac_bytes = 16;

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string_view> entries_of(std::string_view cookie) {
  std::vector<std::string_view> entries;
  while (!cookie.empty() && entries.size() < accounts_per_device) {
    const std::string_view entry = cookie.substr(0, cookie.find(between));
    entries.push_back(entry);
    cookie.remove_prefix(std::min(entry.size() + 1, cookie.size()));
  }
  return entries;
}

}  // namespace

struct KnownDevices::Entry {
  store::UserId user = 0;
  SessionEpoch sessions_since = 0;
  std::string id;
};

// user.sessions_since.until.id.mac; the MAC in hex.
std::string KnownDevices::sealed(std::string text) const {
  const std::string mac = crypto::hmac_sha256(key_, text).substr(0, mac_bytes);
  return std::move(text) + "." + crypto::hex(mac);
}

std::optional<KnownDevices::Entry> KnownDevices::read(std::string_view text, store::Time now) const {
  const auto end = text.rfind('.');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view body = text.substr(0, end);
  if (!crypto::constant_time_equal(text, sealed(std::string(body)))) return std::nullopt;
  // From here on the text is our own.
  std::vector<std::string> parts;
  boost::algorithm::split(parts, body, boost::algorithm::is_any_of("."));
  const store::Time until(store::Time::duration(number(parts.at(2))));
  if (until <= now) return std::nullopt;
  return Entry{.user = number(parts.at(0)), .sessions_since = number(parts.at(1)), .id = parts.at(3)};
}

std::optional<std::string> KnownDevices::find(std::string_view cookie, const User& user, store::Time now) const {
  for (const std::string_view text : entries_of(cookie)) {
    auto entry = read(text, now);
    if (entry && entry->user == user.id && entry->sessions_since == user.sessions_since) return std::move(entry->id);
  }
  return std::nullopt;
}

web::Cookie KnownDevices::issue(const User& user, std::string_view cookie, bool is_secure, store::Time now) const {
  const auto until = now + device_lifetime;
  const std::string id = find(cookie, user, now).value_or(crypto::random_hex(id_bytes));
  std::string value = sealed(std::to_string(user.id) + "." + std::to_string(user.sessions_since) + "." +
                             std::to_string(until.time_since_epoch().count()) + "." + id);
  std::size_t count = 1;
  for (const std::string_view text : entries_of(cookie)) {
    const auto entry = read(text, now);
    if (!entry || entry->user == user.id || count++ >= accounts_per_device) continue;
    value += between;
    value += text;
  }
  return {
      .name = std::string(device_cookie), .value = std::move(value), .max_age = device_lifetime, .secure = is_secure};
}

}  // namespace accounts
