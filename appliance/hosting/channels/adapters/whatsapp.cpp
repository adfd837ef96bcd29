#include "appliance/hosting/channels/adapters/whatsapp.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/channels/adapters/forms.h"
#include "appliance/hosting/channels/adapters/reading.h"
#include "web/ascii.h"
#include "web/client/fetch_url.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace channels {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t max_whatsapp_text = 4'096, max_with_buttons = 1'024, max_whatsapp_file = 16u << 20,
                      max_whatsapp_image = 5u << 20, max_chats = 5'000;
constexpr auto whatsapp_rejected = "WhatsApp does not accept the access token.";

// {"error": {"message", "code", "error_data": {"details"}}}.
std::string whatsapp_sentence(const web::FetchResponse& response, const json::value& body) {
  const auto details = web::string_at(body, "/error/error_data/details");
  const auto why = details.empty() ? web::string_at(body, "/error/message") : details;
  return "WhatsApp answered with status " + std::to_string(response.status) + (why.empty() ? "." : ": " + why);
}

json::value json_or_null(const std::string& body) {
  boost::system::error_code failed;
  auto value = json::parse(body, failed);
  return failed ? json::value() : value;
}

bool is_whatsapp_refusal(const web::FetchResponse& response, const json::value& body) {
  constexpr std::int64_t invalid_token = 190;
  return response.status == 401 || integer_at(body, "/error/code") == invalid_token;
}

SendFailure whatsapp_failure(const web::FetchResponse& response) {
  const auto body = json_or_null(response.body);
  auto failure = failure_of(response, whatsapp_sentence(response, body));
  failure.is_refused = is_whatsapp_refusal(response, body);
  if (failure.is_refused) failure.reason = whatsapp_rejected;
  const auto code = integer_at(body, "/error/code");
  // Limits of the application, the account, the number, and of messages to one person.
  static constexpr std::int64_t limits[] = {4, 80007, 130429, 131056};
  static constexpr std::int64_t passing[] = {1, 2, 131000, 131016, 133004};
  if (std::ranges::count(limits, code) > 0) {
    failure.is_final = false;
    if (!failure.retry_after) failure.retry_after = 6s;
  }
  if (std::ranges::count(passing, code) > 0) failure.is_final = false;
  return failure;
}

// The ending of files that come without a name.
std::string name_of_media(const std::string& kind, const std::string& media_type) {
  static constexpr std::pair<std::string_view, std::string_view> endings[] = {
      {"image/jpeg", ".jpg"}, {"image/png", ".png"},  {"image/webp", ".webp"}, {"audio/ogg", ".ogg"},
      {"audio/mpeg", ".mp3"}, {"audio/mp4", ".m4a"},  {"audio/aac", ".aac"},   {"audio/amr", ".amr"},
      {"video/mp4", ".mp4"},  {"video/3gpp", ".3gp"}, {"text/plain", ".txt"},  {"application/pdf", ".pdf"}};
  for (const auto& [type, ending] : endings)
    if (media_type.starts_with(type)) return kind + std::string(ending);
  return kind;
}

}  // namespace

web::Result<void> WhatsApp::check(const Channel& channel, const AdapterSettings&) {
  constexpr std::size_t min_token = 20, min_secret = 16, min_verify = 8;
  const auto token = secret_of(channel, "token");
  const bool is_token =
      token.size() >= min_token && std::ranges::all_of(token, [](char c) { return c > ' ' && c < 127; });
  if (!is_token) return web::invalid("token is not an access token of Meta");
  const auto number = web::string_member(channel.options, "phoneNumberId");
  if (number.empty() || !web::all_digits(number))
    return web::invalid("options.phoneNumberId must be the number's id, which has digits only");
  if (secret_of(channel, "appSecret").size() < min_secret)
    return web::invalid("secrets.appSecret must be the app's secret, from App settings > Basic");
  if (secret_of(channel, "verifyToken").size() < min_verify)
    return web::invalid("secrets.verifyToken must be a text of your choice of at least 8 characters");
  const auto name = web::string_member(channel.options, "template");
  if (!std::ranges::all_of(name, [](char c) { return web::is_alphanumeric(c) || c == '_'; }))
    return web::invalid("options.template must be the name of a template: letters, digits and _");
  return {};
}

WhatsApp::WhatsApp(const Channel& channel, const AdapterSettings& settings)
    : token_(secret_of(channel, "token")),
      app_secret_(secret_of(channel, "appSecret")),
      verify_token_(secret_of(channel, "verifyToken")),
      api_url_(settings.whatsapp_api_url),
      number_id_(web::string_member(channel.options, "phoneNumberId")),
      template_{.name = web::string_member(channel.options, "template"),
                .language = web::string_member(channel.options, "templateLanguage")},
      origin_(origin_of(channel)),
      reach_(reach_of_provider(settings.whatsapp_api_url)),
      traits_{.format = Format::whatsapp,
              .text = {.length = max_whatsapp_text},
              .max_file_bytes = max_whatsapp_file,
              .is_pushed = true,
              .reports_delivery = true,
              .button_text = max_with_buttons} {}

web::FetchRequest WhatsApp::request(std::string method, const std::string& path) const {
  web::FetchRequest request;
  request.url = api_url_ + path;
  request.method = std::move(method);
  request.origin = origin_;
  request.timeout = api_timeout;
  request.headers = {{"Authorization", "Bearer " + token_}};
  return request;
}

web::Task<web::Result<std::string>> WhatsApp::sign_in() {
  auto request = this->request("GET", "/" + number_id_ + "?fields=display_phone_number,verified_name");
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  const auto body = json_or_null(answer->body);
  if (is_whatsapp_refusal(*answer, body)) co_return web::unauthenticated(whatsapp_rejected);
  if (answer->status != 200) co_return web::bad_gateway(whatsapp_sentence(*answer, body));
  auto shown = web::string_member(body, "display_phone_number");
  const std::lock_guard lock(mutex_);
  number_.clear();
  std::ranges::copy_if(shown, std::back_inserter(number_), web::is_digit);
  co_return shown;
}

// Meta verifies the address with the token that the owner has entered there.
web::Result<std::string> WhatsApp::confirm(const web::Request& request) const {
  const auto mode = form_value(request.query, "hub.mode"), given = form_value(request.query, "hub.verify_token");
  if (!mode || !given || *mode != "subscribe" || !crypto::constant_time_equal(*given, verify_token_))
    return web::unauthenticated("hub.verify_token is not the channel's");
  return form_value(request.query, "hub.challenge");
}

web::Result<Push> WhatsApp::push(const web::Request& request, const std::string& body) const {
  Push push{.received = {}, .reports = {}, .answer = {}, .content_type = "text/plain; charset=utf-8"};
  if (request.method == web::Method::get) {
    auto challenge = confirm(request);
    if (!challenge) return challenge.error();
    push.answer = std::move(*challenge);
    return push;
  }
  const auto expected = "sha256=" + crypto::hex(crypto::hmac_sha256(app_secret_, body));
  if (!crypto::constant_time_equal(request.header("X-Hub-Signature-256"), expected))
    return web::unauthenticated("X-Hub-Signature-256 is not valid");
  const auto event = web::parse_json(body);
  if (!event) return event.error();
  if (!event->is_object()) return web::invalid("the body must be an object");
  const auto* entries = web::array_member(event->get_object(), "entry");
  if (!entries) return push;
  for (const auto& entry : *entries) {
    const auto* changes = entry.is_object() ? web::array_member(entry.get_object(), "changes") : nullptr;
    if (!changes) continue;
    for (const auto& change : *changes) {
      if (web::string_member(change, "field") != "messages") continue;
      const auto* value = web::object_member(change.get_object(), "value");
      // An application may have several numbers.
      if (value && web::string_at(json::value(*value), "/metadata/phone_number_id") == number_id_)
        read_value(*value, push);
    }
  }
  return push;
}

void WhatsApp::read_value(const json::object& value, Push& push) const {
  if (const auto* messages = web::array_member(value, "messages"))
    for (const auto& message : *messages) {
      if (!message.is_object()) continue;
      auto received = read_message(message.get_object(), value);
      if (!received.sender.empty() && !(received.text.empty() && received.files.empty() && received.button.empty()))
        push.received.push_back(std::move(received));
    }
  const auto* statuses = web::array_member(value, "statuses");
  if (!statuses) return;
  for (const auto& status : *statuses) {
    const auto what = web::string_member(status, "status");
    DeliveryReport report{.key = web::string_member(status, "biz_opaque_callback_data"), .failure = {}};
    if (what == "failed") {
      const auto details = web::string_at(status, "/errors/0/error_data/details");
      const auto title = web::string_at(status, "/errors/0/title");
      report.failure = "WhatsApp could not deliver it: " + (details.empty() ? title : details);
    }
    const bool is_settled = what == "failed" || what == "delivered" || what == "read";
    if (is_settled && !report.key.empty()) push.reports.push_back(std::move(report));
  }
}

Received WhatsApp::read_message(const json::object& message, const json::object& value) const {
  const json::value whole(message);
  Received received;
  received.event = received.message = web::string_member(message, "id");
  received.sender = received.chat = web::string_member(message, "from");
  received.sender_name = "+" + received.sender;
  if (const auto* contacts = web::array_member(value, "contacts"))
    for (const auto& contact : *contacts)
      if (web::string_member(contact, "wa_id") == received.sender)
        if (auto name = web::string_at(contact, "/profile/name"); !name.empty()) received.sender_name = std::move(name);
  const auto type = web::string_member(message, "type");
  received.text = web::string_at(whole, "/text/body");
  if (type == "interactive") received.button = web::string_at(whole, "/interactive/button_reply/id");
  if (type == "button") received.text = web::string_at(whole, "/button/text");
  for (const auto* kind : {"image", "audio", "video", "document", "sticker"}) {
    const auto* media = web::object_member(message, kind);
    if (!media || type != kind) continue;
    auto name = web::string_member(*media, "filename");
    if (name.empty()) name = name_of_media(kind, web::string_member(*media, "mime_type"));
    received.files.push_back({.name = std::move(name), .reference = web::string_member(*media, "id")});
    received.text = web::string_member(*media, "caption");
  }
  const std::lock_guard lock(mutex_);
  if (last_read_.size() >= max_chats) last_read_.clear();
  last_read_[received.chat] = received.message;
  return received;
}

// The id of the uploaded content.
web::Task<SendResult> WhatsApp::upload(Sending& sending) const {
  const auto boundary = new_boundary();
  const std::string type(media_type_of(sending.file_name, sending.content));
  auto request = this->request("POST", "/" + number_id_ + "/media");
  request.headers.emplace_back("Content-Type", "multipart/form-data; boundary=" + boundary);
  request.timeout = file_timeout;
  request.body =
      form_data(boundary, {{"messaging_product", "whatsapp"}, {"type", type}},
                {.part = "file", .file_name = sending.file_name, .media_type = type, .content = sending.content});
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return failure_of(answer.error(), false);
  if (answer->status != 200) co_return whatsapp_failure(*answer);
  co_return web::string_member(json_or_null(answer->body), "id");
}

web::Task<SendResult> WhatsApp::send(Sending sending) {
  auto body = whatsapp_message(sending, template_, store::now());
  if (!body) co_return SendFailure{.reason = body.error().message, .is_final = true};
  const bool is_template = body->contains("template");
  if (!sending.file_name.empty() && !is_template) {
    auto uploading = upload(sending);
    const auto uploaded = co_await std::move(uploading);
    if (std::holds_alternative<SendFailure>(uploaded)) co_return uploaded;
    const auto type = media_type_of(sending.file_name, sending.content);
    const bool is_image = (type == "image/jpeg" || type == "image/png") && sending.content.size() <= max_whatsapp_image;
    const bool is_audio = type.starts_with("audio/");
    const auto* kind = is_image ? "image" : is_audio ? "audio" : "document";
    json::object media{{"id", std::get<std::string>(uploaded)}};
    if (!is_image && !is_audio) media["filename"] = sending.file_name;
    body->erase("text");
    (*body)["type"] = kind;
    (*body)[kind] = std::move(media);
  }
  auto request = this->request("POST", "/" + number_id_ + "/messages");
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = json::serialize(*body);
  bool has_begun = false;
  request.on_sending = [&has_begun] { has_begun = true; };
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return failure_of(answer.error(), has_begun);
  if (answer->status != 200) co_return whatsapp_failure(*answer);
  co_return web::string_at(json_or_null(answer->body), "/messages/0/id");
}

// Also marks what the person wrote as read.
web::Task<> WhatsApp::typing(std::string chat) {
  std::string message;
  {
    const std::lock_guard lock(mutex_);
    const auto found = last_read_.find(chat);
    if (found != last_read_.end()) message = found->second;
  }
  if (message.empty()) co_return;
  const json::object body{{"messaging_product", "whatsapp"},
                          {"status", "read"},
                          {"message_id", message},
                          {"typing_indicator", {{"type", "text"}}}};
  auto request = this->request("POST", "/" + number_id_ + "/messages");
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = json::serialize(body);
  [[maybe_unused]] const auto shown = co_await web::fetch(std::move(request));
}

// Two steps: the address of the content, and the content, which needs the token, too.
web::Task<web::Result<std::string>> WhatsApp::download(FileReference file) {
  if (!web::all_digits(file.reference)) co_return web::bad_gateway("WhatsApp has no such file.");
  auto asking = this->request("GET", "/" + file.reference + "?phone_number_id=" + number_id_);
  const auto found = co_await web::fetch(std::move(asking));
  if (!found) co_return found.error();
  const auto description = json_or_null(found->body);
  if (found->status != 200) co_return web::bad_gateway(whatsapp_sentence(*found, description));
  if (integer_at(description, "/file_size") > std::int64_t(traits_.max_file_bytes))
    co_return web::invalid("The file is too large.");
  web::FetchRequest request;
  request.url = web::string_member(description, "url");
  const auto url = web::parse_fetch_url(request.url);
  const auto api = web::parse_fetch_url(api_url_);
  // The token goes to Meta alone.
  const bool is_metas = url && api &&
                        (url->same_origin(*api) || (url->scheme == "https" && (url->host.ends_with(".fbsbx.com") ||
                                                                               url->host.ends_with(".facebook.com") ||
                                                                               url->host.ends_with(".whatsapp.net"))));
  if (!is_metas) co_return web::bad_gateway("WhatsApp named an address that is not Meta's.");
  request.origin = origin_;
  request.reach = reach_;
  request.timeout = file_timeout;
  request.max_bytes = traits_.max_file_bytes;
  request.headers = {{"Authorization", "Bearer " + token_}, {"User-Agent", "agentbox"}};
  auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status != 200) co_return web::bad_gateway(whatsapp_sentence(*answer, json::value()));
  co_return std::move(answer->body);
}

std::string WhatsApp::invitation_url(std::string_view secret) const {
  const std::lock_guard lock(mutex_);
  return number_.empty() ? std::string() : "https://wa.me/" + number_ + "?text=" + std::string(secret);
}

}  // namespace channels
