#include "appliance/network/bus/envelope.h"

#include "web/routes/reply.h"

namespace bus {

boost::json::object envelope_of(const Message& message) {
  boost::json::object envelope{{"messageId", message.message_id},
                               {"from", message.from},
                               {"to", message.to},
                               {"action", message.action},
                               {"payload", message.payload},
                               {"timestamp", web::iso8601(message.sent_at)},
                               {"acceptedAt", web::iso8601(message.accepted_at)}};
  for (const auto& [name, value] : message.context) envelope[name] = value;
  return envelope;
}

}  // namespace bus
