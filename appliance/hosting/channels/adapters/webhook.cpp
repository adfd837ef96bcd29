#include "appliance/hosting/channels/adapters/webhook.h"

#include <boost/json.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/webhook_signature.h"
#include "web/ascii.h"
#include "web/client/fetch_url.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace channels {

namespace {

constexpr std::string_view inline_content = "base64:";
constexpr std::size_t min_key_bytes = 16;

// A file has a public address or its content.
struct WebhookFile {
  web::Text<1, 200> name;
  std::optional<web::Text<1, 2'000>> url;
  std::optional<std::string> content;
};
BOOST_DESCRIBE_STRUCT(WebhookFile, (), (name, url, content))

struct WebhookMessage {
  web::Text<1, 200> sender;
  std::optional<web::Text<1, 200>> senderName, conversation, group, messageId;
  std::optional<bool> mentioned;
  std::optional<web::Text<1, 10>> language;
  std::optional<web::Text<1, 64>> button;  // its data: a press, in the place of a text
  std::optional<web::Prose<0, 100'000>> text;
  std::optional<web::List<WebhookFile, 0, 10>> files;
};
BOOST_DESCRIBE_STRUCT(WebhookMessage, (),
                      (sender, senderName, conversation, group, messageId, mentioned, language, button, text, files))

web::Result<FileReference> reference_of(const WebhookFile& file, std::size_t number) {
  const auto field = "files[" + std::to_string(number) + "]";
  if (file.url.has_value() == file.content.has_value()) return web::invalid(field + " must have url or content");
  if (file.url) return FileReference{.name = file.name, .reference = *file.url};
  const auto content = crypto::from_base64(*file.content);
  if (!content) return web::invalid(field + ".content must be base64");
  return FileReference{.name = file.name,
                       .reference = std::string(inline_content) + *file.content,
                       .size = std::int64_t(content->size())};
}

}  // namespace

web::Result<void> Webhook::check(const Channel& channel, const AdapterSettings& settings) {
  if (webhook_signature::signing_key(secret_of(channel, "token")).size() < min_key_bytes)
    return web::invalid("token must be a signing secret of at least 16 bytes: whsec_ and base64, or a text");
  const auto url = web::string_member(channel.options, "url");
  if (!url.empty() && !web::starts_ignoring_case(url, "https://") && !web::starts_ignoring_case(url, "http://"))
    return web::invalid("url must be an http or https address");
  if (url.empty()) return {};
  const auto parsed = web::parse_fetch_url(url);
  if (!parsed) return web::invalid("url must be an http or https address");
  if (settings.user_reach == web::Reach::public_only && web::is_private_host(*parsed))
    return web::invalid("url must not be a loopback or private address: this box does not connect to those");
  return {};
}

Webhook::Webhook(const Channel& channel, const AdapterSettings& settings)
    : key_(webhook_signature::signing_key(secret_of(channel, "token"))),
      url_(web::string_member(channel.options, "url")),
      channel_(channel.id),
      origin_(origin_of(channel)),
      reach_(settings.user_reach),
      traits_{.format = Format::markdown,
              .text = {.length = 16'000},
              .is_idempotent = true,
              .is_pushed = true,
              .pace = std::chrono::milliseconds(0)} {}

web::Task<web::Result<std::string>> Webhook::sign_in() {
  co_return url_.empty() ? std::string("receives only") : url_.substr(0, url_.find_first_of("?#"));
}

web::Result<Push> Webhook::push(const web::Request& request, const std::string& body) const {
  const auto signature = webhook_signature::signature_of(request, store::now());
  if (!signature) return signature.error();
  if (!webhook_signature::is_signed(*signature, body, key_))
    return web::unauthenticated("The webhook's signature is not valid");
  const auto value = web::parse_json(body);
  if (!value) return value.error();
  auto message = web::parse_value<WebhookMessage>(*value);
  if (!message) return message.error();
  Received received{.event = signature->id,
                    .sender = message->sender,
                    .sender_name = message->senderName.value_or(message->sender),
                    .sender_handle = {},
                    .chat = message->conversation ? std::string(*message->conversation) : std::string(message->sender),
                    .group = message->group ? std::string(*message->group) : std::string(),
                    .group_name = message->group ? std::string(*message->group) : std::string(),
                    .is_mentioned = message->mentioned.value_or(false),
                    .message = message->messageId ? std::string(*message->messageId) : std::string(),
                    .text = message->text ? std::string(*message->text) : std::string(),
                    .language = message->language ? std::string(*message->language) : std::string(),
                    .button = message->button ? std::string(*message->button) : std::string(),
                    .files = {}};
  if (!received.group.empty()) received.chat = received.group;
  if (message->files)
    for (std::size_t at = 0; at < message->files->size(); ++at) {
      auto reference = reference_of((*message->files)[at], at);
      if (!reference) return reference.error();
      received.files.push_back(std::move(*reference));
    }
  if (received.text.empty() && received.files.empty() && received.button.empty())
    return web::invalid("text must not be empty without files");
  Push push;
  push.received.push_back(std::move(received));
  return push;
}

web::Task<SendResult> Webhook::send(Sending sending) {
  if (url_.empty()) co_return SendFailure{.reason = "The channel has no url for messages.", .is_final = true};
  boost::json::object body{
      {"type", sending.file_name.empty() ? "message" : "file"}, {"channel", channel_}, {"conversation", sending.chat}};
  if (sending.file_name.empty()) {
    body["text"] = sending.text;
  } else {
    body["name"] = sending.file_name;
    body["content"] = crypto::to_base64(sending.content);
  }
  if (!sending.reply_to.empty()) body["replyTo"] = sending.reply_to;
  if (!sending.buttons.empty()) {
    boost::json::array buttons;
    for (const auto& button : sending.buttons) buttons.push_back({{"label", button.label}, {"data", button.data}});
    body["buttons"] = std::move(buttons);
  }
  web::FetchRequest request;
  request.url = url_;
  request.method = "POST";
  request.origin = origin_;
  request.reach = reach_;
  request.timeout = std::chrono::seconds(15);
  request.body = boost::json::serialize(body);
  const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(store::now()).time_since_epoch().count();
  request.headers = {{"Content-Type", "application/json"},
                     {"Webhook-Id", sending.key},
                     {"Webhook-Timestamp", std::to_string(seconds)},
                     {"Webhook-Signature", webhook_signature::sign({key_}, sending.key, seconds, request.body)}};
  bool has_begun = false;
  request.on_sending = [&has_begun] { has_begun = true; };
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return failure_of(answer.error(), has_begun);
  if (answer->status / 100 == 2) co_return sending.key;
  auto failure = failure_of(*answer, "The webhook answered with status " + std::to_string(answer->status) + ".");
  failure.is_refused = false;  // there is no sign-in that could show it
  co_return failure;
}

web::Task<web::Result<std::string>> Webhook::download(FileReference file) {
  if (file.reference.starts_with(inline_content)) {
    auto content = crypto::from_base64(file.reference.substr(inline_content.size()));
    if (!content) co_return web::invalid("The file is not base64.");
    co_return std::move(*content);
  }
  web::FetchRequest request;
  request.url = file.reference;
  request.origin = origin_;
  request.reach = reach_;
  request.max_redirects = 3;
  request.timeout = std::chrono::seconds(60);
  request.max_bytes = traits_.max_file_bytes;
  auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status != 200)
    co_return web::bad_gateway("The file's address answered with status " + std::to_string(answer->status) + ".");
  co_return std::move(answer->body);
}

}  // namespace channels
