#include "appliance/network/email_in/handlers.h"

#include <algorithm>

#include "appliance/foundation/webhook_signature.h"
#include "web/log.h"

namespace email_in {

namespace {

bool is_allowed(const std::vector<std::string>& allowed, const std::string& sender) {
  return std::ranges::any_of(allowed, [&](const std::string& one) {
    return one == "*" || one == sender || (one.starts_with('@') && sender.ends_with(one));
  });
}

web::Task<web::Result<std::string>> whole_body(web::BodyStream& body) {
  std::string bytes;
  for (;;) {
    const auto piece = co_await body.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return bytes;
    bytes.append(*piece);
  }
}

// The headers are checked before the body is read, and the body before it is parsed.
web::Answer receive_mail(const Services& services, const web::Request& request, web::BodyStream& stream) {
  if (services.signing_key.empty()) co_return web::unauthenticated("EMAIL_WEBHOOK_SECRET is not set on this box");
  const auto signature = webhook_signature::signature_of(request, store::now());
  if (!signature) co_return signature.error();
  const auto body = co_await whole_body(stream);
  if (!body) co_return body.error();
  if (!webhook_signature::is_signed(*signature, *body, services.signing_key))
    co_return web::unauthenticated("The webhook's signature is not valid");
  auto mail = read_mail(*body);
  if (!mail) co_return mail.error();
  ReceiptView answer;
  if (!*mail) co_return web::reply(answer, 200);
  if (!is_allowed(services.allowed_senders, (*mail)->from)) {
    web::log::info("email_refused", {{"reason", std::string("its sender is not in EMAIL_ALLOWED_SENDERS")}});
    co_return web::forbidden("This sender is not in EMAIL_ALLOWED_SENDERS");
  }
  auto receipt = co_await services.inbox.accept(signature->id, std::move(**mail));
  answer.delivered = std::move(receipt.delivered);
  answer.ignored = std::move(receipt.ignored);
  co_return web::reply(answer, 200);
}

const web::RateLimit email_rate{.group = "email-webhook", .limit = 300};
constexpr std::size_t max_bytes = 25u << 20;

constexpr const char* receive_text =
    "Signed as Standard Webhooks (webhook-id, -timestamp, -signature) or Svix (svix-*) with EMAIL_WEBHOOK_SECRET over "
    "the raw body, within five minutes: else 401, always without a secret. The body, up to 25 MB, is {from, to, "
    "subject, text, attachments[{filename, content (base64)}]}, or has these in `data` with `type` email.received; "
    "other types are acknowledged and ignored. 403 unless EMAIL_ALLOWED_SENDERS has the sender. Each mail to "
    "<subdomain>@... becomes a message to that agent (`delivered`), once for each webhook-id; its attachments go to "
    "email/ in the workspace, within its quota. The agent answers it like a message of a stranger: without its owner's "
    "conversation, memory and tools. Addresses of no agent are `ignored`. Agents that do not run get it "
    "when they run again, within a day.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/webhooks/email", guards.none, &email_rate,
       web::stream(max_bytes, on(receive_mail))
           .returns<ReceiptView>()
           .describe(receive_text)
           .fails({web::Kind::unauthenticated, web::Kind::forbidden, web::Kind::invalid}),
       "Receive an e-mail for agents"},
  };
}

}  // namespace email_in
