#include "appliance/payments/stripe/api.h"

#include "appliance/foundation/crypto/random.h"
#include "web/client/fetch.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace payments::stripe {

namespace {

// The answers' form does not change under the box. Webhooks have the version of their endpoint: both forms are read.
constexpr auto api_version = "2024-06-20";
constexpr std::chrono::seconds timeout{20};
constexpr int attempts = 2;

web::Error no_answer(std::string detail) {
  return {.kind = web::Kind::bad_gateway,
          .message = "The payment provider did not answer as expected; nothing was charged",
          .detail = std::move(detail)};
}

std::string reason_in(const boost::json::object& answer) {
  const auto* error = web::object_member(answer, "error");
  return error ? web::string_member(*error, "message") : std::string();
}

}  // namespace

web::Task<web::Result<boost::json::object>> Api::post(std::string path, oauth::Parameters parameters) const {
  const web::FetchRequest request{.url = url_ + path,
                                  .method = "POST",
                                  .headers = {{"Authorization", "Bearer " + key_},
                                              {"Content-Type", "application/x-www-form-urlencoded"},
                                              {"Stripe-Version", api_version},
                                              // A repeated request does nothing twice.
                                              {"Idempotency-Key", crypto::random_hex(16)}},
                                  .body = oauth::form(parameters),
                                  .origin = {.part = "card payments"},
                                  .timeout = timeout};
  web::Error last;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto response = co_await web::fetch(request);
    if (!response) {
      last = no_answer(response.error().message);
      continue;
    }
    const auto answer = web::parse_json(response->body, "Stripe's answer");
    const auto* object = answer ? answer->if_object() : nullptr;
    if (object && response->status == 200) co_return *object;
    last = no_answer("status " + std::to_string(response->status) + ": " + (object ? reason_in(*object) : "no JSON"));
    if (response->status < 500) break;
  }
  co_return last;
}

}  // namespace payments::stripe
