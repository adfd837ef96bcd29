#include "appliance/network/bus/signed_message.h"

#include "appliance/foundation/crypto/jcs.h"
#include "appliance/foundation/timestamp.h"

namespace bus {

namespace {

web::Error invalid_signature() { return web::unauthenticated("Invalid signature"); }

// The time within which the message was signed; nothing if that is not now.
std::optional<store::Time> fresh_timestamp(const SendRequest& request, store::Time now) {
  const auto signed_at = request.timestamp ? agentbox::parse_timestamp(*request.timestamp) : std::nullopt;
  if (!signed_at || *signed_at < now - clock_tolerance || *signed_at > now + clock_tolerance) return std::nullopt;
  return signed_at;
}

}  // namespace

web::Result<Outgoing> verified(const store::System& system, const bus_keys::BusKeys& keys,
                               const boost::json::object& body, store::Time now) {
  auto request = web::parse_value<SendRequest>(body);
  if (!request) return request.error();
  const auto signature = bus_keys::parse_signature(request->signature);
  const auto sent_at = fresh_timestamp(*request, now);
  const auto sender = request->from ? find_participant(system, *request->from) : std::nullopt;
  if (!signature || !sent_at || !sender) return invalid_signature();
  auto covered = body;
  covered.erase("signature");
  const auto text = crypto::canonical_json(covered);
  const std::string key = request->keyId ? std::string(*request->keyId) : std::string();
  if (!text || !keys.verify(sender->value, *signature, key, *text)) return invalid_signature();
  Outgoing message{.message_id = std::move(request->messageId),
                   .from = std::move(*request->from),
                   .to = request->to ? std::string(std::move(*request->to)) : std::string(),
                   .action = std::move(request->action),
                   .payload = request->payload ? std::move(*request->payload) : boost::json::object(),
                   .sent_at = *sent_at};
  return message;
}

}  // namespace bus
