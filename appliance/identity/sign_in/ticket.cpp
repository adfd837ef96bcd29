#include "appliance/identity/sign_in/ticket.h"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <charconv>
#include <vector>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace sign_in {

namespace {

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

// user.sessions_since.until.act.id.mac; the act in base64url, the MAC in hex.
std::string sealed(const Ticket& ticket, const std::string& key) {
  const std::string text = std::to_string(ticket.user) + "." + std::to_string(ticket.sessions_since) + "." +
                           std::to_string(ticket.until.time_since_epoch().count()) + "." +
                           crypto::to_base64url(ticket.act) + "." + ticket.id;
  return text + "." + crypto::hex(crypto::hmac_sha256(key, text));
}

std::optional<Ticket> unsealed(std::string_view text, const std::string& key, store::Time now) {
  const auto end = text.rfind('.');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string expected = crypto::hex(crypto::hmac_sha256(key, text.substr(0, end)));
  if (!crypto::constant_time_equal(text.substr(end + 1), expected)) return std::nullopt;
  // From here on the text is our own.
  std::vector<std::string> parts;
  const std::string_view body = text.substr(0, end);
  boost::algorithm::split(parts, body, boost::algorithm::is_any_of("."));
  Ticket ticket{.user = number(parts.at(0)),
                .sessions_since = number(parts.at(1)),
                .until = store::Time(store::Time::duration(number(parts.at(2)))),
                .act = crypto::from_base64url(parts.at(3)).value_or(""),
                .id = parts.at(4)};
  if (ticket.until <= now) return std::nullopt;
  return ticket;
}

}  // namespace sign_in
