#include "appliance/network/email_in/handlers.h"

#include <algorithm>

#include "appliance/network/email_in/signature.h"
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

}  // namespace

// The headers are checked before the body is read, and the body before it is parsed.
web::Answer receive_mail(const Services& services, const web::Request& request, web::BodyStream& stream) {
  if (services.signing_key.empty()) co_return web::unauthenticated("EMAIL_WEBHOOK_SECRET is not set on this box");
  const auto signature = signature_of(request, store::now());
  if (!signature) co_return signature.error();
  const auto body = co_await whole_body(stream);
  if (!body) co_return body.error();
  if (!is_signed(*signature, *body, services.signing_key))
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

}  // namespace email_in
