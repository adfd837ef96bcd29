#include "appliance/network/bus/webhook.h"

#include <boost/json.hpp>

#include "appliance/foundation/webhook_signature.h"
#include "appliance/hosting/agents/bus_config.h"
#include "appliance/network/bus/envelope.h"
#include "web/client/fetch.h"

namespace bus {

namespace {

using namespace std::chrono_literals;

constexpr int gone = 410;
constexpr std::size_t max_answer_bytes = 64 * 1024;

}  // namespace

web::Task<std::optional<DeliveryProblem>> Webhook::deliver(const Participant& recipient, const Message& message) {
  const auto config = agents::read_bus_config(recipient.config);
  if (!config || config->webhook_url.empty()) co_return std::nullopt;
  const auto secrets = co_await keys_.webhook_secrets(recipient.owner, recipient.id);
  if (secrets.empty()) co_return DeliveryProblem{.reason = "The agent has too many keys: none signs this delivery."};
  web::FetchRequest request{.url = config->webhook_url, .method = "POST"};
  request.body = boost::json::serialize(envelope_of(message));
  const auto id = "msg_" + std::to_string(message.number);
  const std::int64_t timestamp = std::chrono::floor<std::chrono::seconds>(store::now()).time_since_epoch().count();
  request.headers = {{"Content-Type", "application/json"},
                     {"Webhook-Id", id},
                     {"Webhook-Timestamp", std::to_string(timestamp)},
                     {"Webhook-Signature", webhook_signature::sign(secrets, id, timestamp, request.body)}};
  request.origin = {.part = "bus", .user = recipient.owner, .agent = recipient.id};
  request.reach = may_be_private_ ? web::Reach::configured : web::Reach::public_only;
  request.timeout = 10s;
  // The answer's body is not used. It is read, so that the connection can be used again, unless it is long.
  request.sink = [read = std::size_t(0)](std::string_view piece) mutable {
    read += piece.size();
    return read <= max_answer_bytes;
  };
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return DeliveryProblem{.reason = answer.error().message};
  if (answer->status / 100 == 2) co_return std::nullopt;
  co_return DeliveryProblem{.reason = "The webhook answered " + std::to_string(answer->status) + ".",
                            .is_final = answer->status == gone};
}

}  // namespace bus
