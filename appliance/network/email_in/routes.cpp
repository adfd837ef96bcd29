#include "appliance/network/email_in/routes.h"

#include "appliance/network/email_in/handlers.h"

namespace email_in {

namespace {

const web::RateLimit email_rate{.group = "email-webhook", .limit = 300};
constexpr std::size_t most_bytes = 25u << 20;

constexpr const char* receive_text =
    "Signed as Standard Webhooks (webhook-id, -timestamp, -signature) or Svix (svix-*) with EMAIL_WEBHOOK_SECRET over "
    "the raw body, within five minutes: else 401, always without a secret. The body, up to 25 MB, is {from, to, "
    "subject, text, attachments[{filename, content (base64)}]}, or has these in `data` with `type` email.received; "
    "other types are acknowledged and ignored. 403 unless EMAIL_ALLOWED_SENDERS has the sender. Each mail to "
    "<subdomain>@... becomes a message to that agent (`delivered`), once for each webhook-id; its attachments go to "
    "email/ in the workspace, within its quota. Addresses of no agent are `ignored`. Agents that do not run get it "
    "when they run again, within a day.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/webhooks/email", guards.none, &email_rate,
       web::stream(most_bytes, on(receive_mail))
           .returns<ReceiptView>()
           .describe(receive_text)
           .fails({web::Kind::unauthenticated, web::Kind::forbidden, web::Kind::invalid}),
       "Receive an e-mail for agents"},
  };
}

}  // namespace email_in
