#include "appliance/network/email_in/mail.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/email.h"
#include "web/routes/fields.h"

namespace email_in {

namespace {

namespace json = boost::json;

constexpr std::string_view received = "email.received";

// The names of the fields are those that providers use; `content` is base64.
struct AttachmentBody {
  web::Text<1, 255> filename;
  std::optional<web::Verbatim<0, 40'000'000>> content;
};
BOOST_DESCRIBE_STRUCT(AttachmentBody, (), (filename, content))

struct MailBody {
  json::value from, to;
  std::optional<web::Verbatim<0, 2'000>> subject;
  std::optional<web::Verbatim<0, 1'000'000>> text;
  std::optional<web::List<AttachmentBody, 0, 50>> attachments;
};
BOOST_DESCRIBE_STRUCT(MailBody, (), (from, to, subject, text, attachments))

struct Event {
  std::optional<web::Text<1, 100>> type;
  std::optional<json::value> data;
};
BOOST_DESCRIBE_STRUCT(Event, (), (type, data))

// "Ada <ada@example.org>", or the address alone.
std::optional<std::string> address_in(std::string_view text) {
  if (const auto open = text.rfind('<'); open != std::string_view::npos) {
    const auto close = text.find('>', open);
    if (close == std::string_view::npos) return std::nullopt;
    text = text.substr(open + 1, close - open - 1);
  }
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return agentbox::normalised_email(text);
}

// Text, an object with `address` or `email`, or an array of these. What is no address is left out.
void add_addresses(const json::value& value, std::vector<std::string>& addresses) {
  if (const auto* text = value.if_string()) {
    if (auto address = address_in(*text)) addresses.push_back(std::move(*address));
  } else if (const auto* object = value.if_object()) {
    for (const auto* name : {"address", "email"})
      if (const auto* member = object->if_contains(name); member && member->is_string())
        return add_addresses(*member, addresses);
  } else if (const auto* list = value.if_array()) {
    for (const auto& one : *list)
      if (!one.is_array()) add_addresses(one, addresses);
  }
}

web::Result<Mail> mail_of(MailBody body) {
  Mail mail;
  std::vector<std::string> senders;
  add_addresses(body.from, senders);
  if (senders.size() != 1) return web::invalid("from must have one e-mail address");
  mail.from = std::move(senders.front());
  add_addresses(body.to, mail.to);
  if (mail.to.empty()) return web::invalid("to must have an e-mail address");
  if (body.subject) mail.subject = std::move(*body.subject);
  if (body.text) mail.text = std::move(*body.text);
  if (!body.attachments) return mail;
  for (std::size_t at = 0; at < body.attachments->size(); ++at) {
    auto& given = (*body.attachments)[at];
    Attachment attachment{.name = std::move(given.filename), .content = {}};
    if (given.content) {
      std::erase_if(*given.content, [](char c) { return c == '\r' || c == '\n'; });  // mail breaks its lines
      attachment.content = crypto::from_base64(*given.content);
      if (!attachment.content) return web::invalid("attachments[" + std::to_string(at) + "].content must be base64");
    }
    mail.attachments.push_back(std::move(attachment));
  }
  return mail;
}

}  // namespace

web::Result<std::optional<Mail>> read_mail(std::string_view text) {
  const auto json = web::parse_json(text);
  if (!json) return json.error();
  const auto event = web::parse_value<Event>(*json);
  if (!event) return event.error();
  if (event->type && *event->type != received) return std::optional<Mail>();
  auto body = event->data ? web::parse_value<MailBody>(*event->data, "data") : web::parse_value<MailBody>(*json);
  if (!body) return body.error();
  auto mail = mail_of(std::move(*body));
  if (!mail) return mail.error();
  return std::optional(std::move(*mail));
}

}  // namespace email_in
