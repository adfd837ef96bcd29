#include "appliance/hosting/channels/adapters/telegram.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/channels/adapters/forms.h"
#include "appliance/hosting/channels/adapters/reading.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace channels {

namespace {

namespace json = boost::json;

constexpr std::chrono::seconds poll_time{50}, poll_margin{10};
constexpr std::size_t max_message = 4'096;
constexpr auto rejected = "Telegram does not accept the bot's token.";
const json::array wanted_updates{"message", "callback_query"};

// "chat" or "chat/topic".
void add_chat(json::object& parameters, const std::string& chat) {
  const auto slash = chat.find('/');
  parameters["chat_id"] = std::stoll(chat.substr(0, slash));
  if (slash != std::string::npos) parameters["message_thread_id"] = std::stoll(chat.substr(slash + 1));
}

std::string chat_of(const json::value& message) {
  auto chat = std::to_string(integer_at(message, "/chat/id"));
  boost::system::error_code absent;
  const auto* in_topic = message.find_pointer("/is_topic_message", absent);
  if (in_topic && in_topic->is_bool() && in_topic->get_bool())
    chat += "/" + std::to_string(integer_at(message, "/message_thread_id"));
  return chat;
}

std::string name_of(const json::value& person) {
  auto name = web::string_at(person, "/first_name");
  const auto last = web::string_at(person, "/last_name");
  return last.empty() ? name : name + " " + last;
}

// What Telegram says about a failure: {"ok": false, "description", "parameters": {"retry_after"}}.
std::string description_of(const std::string& body) {
  boost::system::error_code failed;
  const auto answer = json::parse(body, failed);
  return failed ? std::string() : web::string_at(answer, "/description");
}

// The largest of a photo's sizes, or the one file of another kind.
void add_files(const json::value& message, std::vector<FileReference>& files) {
  const auto& object = message.get_object();
  const auto add = [&](const json::value& file, const std::string& name) {
    const auto id = web::string_at(file, "/file_id");
    const auto given = web::string_at(file, "/file_name");
    if (!id.empty())
      files.push_back({.name = given.empty() ? name : given, .reference = id, .size = integer_at(file, "/file_size")});
  };
  if (const auto* photo = web::array_member(object, "photo"); photo && !photo->empty()) add(photo->back(), "photo.jpg");
  static constexpr std::pair<const char*, const char*> kinds[] = {{"document", "document"},
                                                                  {"voice", "voice.ogg"},
                                                                  {"audio", "audio.mp3"},
                                                                  {"video", "video.mp4"},
                                                                  {"video_note", "video.mp4"}};
  for (const auto& [kind, name] : kinds)
    if (const auto* file = object.if_contains(kind)) add(*file, name);
}

}  // namespace

web::Result<void> Telegram::check(const Channel& channel, const AdapterSettings&) {
  const auto token = secret_of(channel, "token");
  const auto colon = token.find(':');
  const bool is_token = colon != std::string::npos && colon > 0 && web::all_digits(token.substr(0, colon)) &&
                        token.size() > colon + 1 &&
                        std::all_of(token.begin() + std::ptrdiff_t(colon) + 1, token.end(),
                                    [](char c) { return web::is_alphanumeric(c) || c == '-' || c == '_'; });
  if (!is_token) return web::invalid("token is not one of a Telegram bot: it has the form 123456:ABC-DEF");
  return {};
}

Telegram::Telegram(const Channel& channel, const AdapterSettings& settings)
    : token_(secret_of(channel, "token")),
      api_url_(settings.telegram_api_url),
      channel_(channel.id),
      site_(settings.site()),
      origin_(origin_of(channel)),
      traits_{.format = Format::telegram_html, .text = {.length = max_message}, .can_edit = true} {
  traits_.is_pushed = web::string_member(channel.options, "receive") == "webhook";
  if (channel.identity.starts_with('@')) username_ = channel.identity.substr(1);
}

// The token is in the path: the URL must appear nowhere else.
web::FetchRequest Telegram::request(std::string_view method) const {
  web::FetchRequest request;
  request.url = api_url_ + "/bot" + token_ + "/" + std::string(method);
  request.method = "POST";
  request.origin = origin_;
  return request;
}

web::Task<web::Result<json::value>> Telegram::call(std::string method, json::object parameters,
                                                   std::chrono::seconds timeout) const {
  auto request = this->request(method);
  request.headers = {{"Content-Type", "application/json"}};
  request.body = json::serialize(parameters);
  request.timeout = timeout;
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status == 401 || answer->status == 404) co_return web::unauthenticated(rejected);
  if (answer->status == 409)
    co_return web::conflict(
        "Another program receives the messages of this Telegram bot: stop it, or make a new token.");
  boost::system::error_code failed;
  const auto body = json::parse(answer->body, failed);
  const auto* result = !failed && body.is_object() ? body.get_object().if_contains("result") : nullptr;
  if (answer->status == 200 && result) co_return *result;
  const auto why = failed ? std::string() : web::string_at(body, "/description");
  co_return web::bad_gateway("Telegram answered with status " + std::to_string(answer->status) +
                             (why.empty() ? "." : ": " + why));
}

std::string Telegram::webhook_secret() const { return crypto::sha256_hex("telegram webhook/" + channel_ + token_); }

web::Task<web::Result<std::string>> Telegram::sign_in() {
  json::object none;
  const auto me = co_await call("getMe", std::move(none));
  if (!me) co_return me.error();
  {
    const std::lock_guard lock(mutex_);
    username_ = web::string_at(*me, "/username");
    bot_id_ = integer_at(*me, "/id");
  }
  std::string method = "deleteWebhook";
  json::object hook;
  if (traits_.is_pushed) {
    method = "setWebhook";
    hook["allowed_updates"] = wanted_updates;
    hook["url"] = site_ + push_path(channel_);
    hook["secret_token"] = webhook_secret();
  }
  const auto set = co_await call(std::move(method), std::move(hook));
  if (!set) co_return set.error();
  static const json::array commands{{{"command", "new"}, {"description", "Begin a new conversation"}},
                                    {{"command", "stop"}, {"description", "Stop the answer"}},
                                    {{"command", "status"}, {"description", "How the agent is"}},
                                    {{"command", "model"}, {"description", "Which model answers"}},
                                    {{"command", "help"}, {"description", "What this bot can do"}}};
  json::object menu;
  menu["commands"] = commands;
  const auto listed = co_await call("setMyCommands", std::move(menu));
  if (!listed) co_return listed.error();
  co_return "@" + username_;
}

web::Task<web::Result<std::vector<Received>>> Telegram::receive() {
  json::object parameters{{"timeout", poll_time.count()}, {"allowed_updates", wanted_updates}};
  if (next_update_ > 0) parameters["offset"] = next_update_;
  const auto updates = co_await call("getUpdates", std::move(parameters), poll_time + poll_margin);
  if (!updates) co_return updates.error();
  std::vector<Received> received;
  if (!updates->is_array()) co_return received;
  for (const auto& update : updates->get_array()) {
    next_update_ = std::max(next_update_, integer_at(update, "/update_id") + 1);
    auto one = read_update(update);
    if (!one) continue;
    if (!one->button.empty()) {
      // Ends the sign of waiting on the button.
      json::object press;
      press["callback_query_id"] = web::string_at(update, "/callback_query/id");
      [[maybe_unused]] const auto ended = co_await call("answerCallbackQuery", std::move(press));
    }
    received.push_back(std::move(*one));
  }
  co_return received;
}

web::Result<Push> Telegram::push(const web::Request& request, const std::string& body) const {
  if (!traits_.is_pushed) return web::not_found();
  const auto secret = request.header("X-Telegram-Bot-Api-Secret-Token");
  if (!crypto::constant_time_equal(secret, webhook_secret()))
    return web::unauthenticated("The secret token is not the channel's");
  const auto update = web::parse_json(body);
  if (!update) return update.error();
  Push push{.answer = "{}"};
  if (auto one = read_update(*update)) {
    if (!one->button.empty())
      push.answer = json::serialize(json::object{{"method", "answerCallbackQuery"},
                                                 {"callback_query_id", web::string_at(*update, "/callback_query/id")}});
    push.received.push_back(std::move(*one));
  }
  return push;
}

std::optional<Received> Telegram::read_update(const json::value& update) const {
  const auto* object = update.if_object();
  if (!object) return std::nullopt;
  std::optional<Received> received;
  if (const auto* message = web::object_member(*object, "message")) {
    received = read_message(*message);
  } else if (const auto* press = object->if_contains("callback_query")) {
    boost::system::error_code absent;
    const auto* shown = press->find_pointer("/message", absent);
    received.emplace();
    received->sender = std::to_string(integer_at(*press, "/from/id"));
    if (const auto* from = press->find_pointer("/from", absent)) received->sender_name = name_of(*from);
    received->button = web::string_at(*press, "/data");
    if (shown) received->chat = chat_of(*shown);
    if (shown) received->message = std::to_string(integer_at(*shown, "/message_id"));
    if (shown && integer_at(*shown, "/chat/id") < 0) received->group = std::to_string(integer_at(*shown, "/chat/id"));
    received->is_mentioned = true;
  }
  if (received) received->event = std::to_string(integer_at(update, "/update_id"));
  return received;
}

std::optional<Received> Telegram::read_message(const json::object& object) const {
  const json::value message(object);
  boost::system::error_code absent;
  const auto* from = message.find_pointer("/from", absent);
  if (!from || !from->is_object()) return std::nullopt;
  if (const auto* is_bot = from->get_object().if_contains("is_bot"); is_bot && is_bot->is_bool() && is_bot->get_bool())
    return std::nullopt;
  Received received;
  received.sender = std::to_string(integer_at(*from, "/id"));
  received.sender_name = name_of(*from);
  if (const auto handle = web::string_at(*from, "/username"); !handle.empty()) received.sender_handle = "@" + handle;
  received.language = web::string_at(*from, "/language_code");
  received.chat = chat_of(message);
  received.message = std::to_string(integer_at(message, "/message_id"));
  received.text = web::string_at(message, "/text");
  if (received.text.empty()) received.text = web::string_at(message, "/caption");
  add_files(message, received.files);
  if (web::string_at(message, "/chat/type") == "private") return received;
  received.group = std::to_string(integer_at(message, "/chat/id"));
  received.group_name = web::string_at(message, "/chat/title");
  const std::lock_guard lock(mutex_);
  received.is_mentioned = bot_id_ != 0 && integer_at(message, "/reply_to_message/from/id") == bot_id_;
  if (username_.empty()) return received;
  const auto mention = "@" + web::lower_case(username_);
  if (const auto at = web::lower_case(received.text).find(mention); at != std::string::npos) {
    received.is_mentioned = true;
    received.text.erase(at, mention.size());
    received.text = web::trim(received.text, web::white_space);
  }
  return received;
}

web::FetchRequest Telegram::message_request(const Sending& sending, bool is_plain) const {
  json::object parameters;
  add_chat(parameters, sending.chat);
  parameters["text"] = is_plain ? render(sending.text, Format::plain) : render(sending.text, Format::telegram_html);
  if (!is_plain) parameters["parse_mode"] = "HTML";
  parameters["link_preview_options"] = {{"is_disabled", true}};
  if (!sending.edits.empty()) {
    parameters["message_id"] = std::stoll(sending.edits);
    parameters.erase("message_thread_id");
  } else if (!sending.reply_to.empty()) {
    parameters["reply_parameters"] = {{"message_id", std::stoll(sending.reply_to)},
                                      {"allow_sending_without_reply", true}};
  }
  if (!sending.buttons.empty()) {
    json::array row;
    for (const auto& button : sending.buttons) row.push_back({{"text", button.label}, {"callback_data", button.data}});
    parameters["reply_markup"] = {{"inline_keyboard", json::array{row}}};
  }
  auto made = request(sending.edits.empty() ? "sendMessage" : "editMessageText");
  made.headers = {{"Content-Type", "application/json"}};
  made.body = json::serialize(parameters);
  return made;
}

web::FetchRequest Telegram::file_request(const Sending& sending) const {
  const auto name = web::lower_case(sending.file_name);
  const auto ends = [&](std::initializer_list<std::string_view> endings) {
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
  };
  constexpr std::size_t max_photo = 10u << 20;
  const bool is_photo = ends({".jpg", ".jpeg", ".png"}) && sending.content.size() <= max_photo;
  const bool is_voice = ends({".ogg", ".oga"});
  json::object chat;
  add_chat(chat, sending.chat);
  FormFields fields;
  for (const auto& [field, value] : chat) fields.emplace_back(field, json::serialize(value));
  const auto boundary = new_boundary();
  auto made = request(is_photo ? "sendPhoto" : is_voice ? "sendVoice" : "sendDocument");
  made.headers = {{"Content-Type", "multipart/form-data; boundary=" + boundary}};
  made.body = form_data(boundary, fields,
                        {.part = is_photo   ? "photo"
                                 : is_voice ? "voice"
                                            : "document",
                         .file_name = sending.file_name,
                         .media_type = "application/octet-stream",
                         .content = sending.content});
  made.timeout = file_timeout;
  return made;
}

web::Task<SendResult> Telegram::deliver(web::FetchRequest request, bool& is_markup_refused) const {
  bool has_begun = false;
  request.on_sending = [&has_begun] { has_begun = true; };
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return failure_of(answer.error(), has_begun);
  boost::system::error_code failed;
  const auto body = json::parse(answer->body, failed);
  if (answer->status == 200 && !failed) co_return std::to_string(integer_at(body, "/result/message_id"));
  const auto why = description_of(answer->body);
  if (answer->status == 400 && why.find("message is not modified") != std::string::npos) co_return std::string();
  is_markup_refused = answer->status == 400 && why.find("can't parse entities") != std::string::npos;
  auto failure =
      failure_of(*answer, answer->status == 401 ? rejected
                          : why.empty() ? "Telegram answered with status " + std::to_string(answer->status) + "."
                                        : "Telegram answered: " + why);
  if (const auto seconds = failed ? 0 : integer_at(body, "/parameters/retry_after"); seconds > 0)
    failure.retry_after = std::chrono::seconds(seconds);
  co_return failure;
}

web::Task<SendResult> Telegram::send(Sending sending) {
  bool is_markup_refused = false;
  auto request = sending.file_name.empty() ? message_request(sending, false) : file_request(sending);
  auto result = co_await deliver(std::move(request), is_markup_refused);
  if (!is_markup_refused) co_return result;
  auto plain = message_request(sending, true);
  co_return co_await deliver(std::move(plain), is_markup_refused);
}

web::Task<> Telegram::typing(std::string chat) {
  json::object parameters{{"action", "typing"}};
  add_chat(parameters, chat);
  [[maybe_unused]] const auto shown = co_await call("sendChatAction", std::move(parameters));
}

web::Task<web::Result<std::string>> Telegram::download(FileReference file) {
  json::object wanted;
  wanted["file_id"] = file.reference;
  const auto found = co_await call("getFile", std::move(wanted));
  if (!found) co_return found.error();
  const auto path = web::string_at(*found, "/file_path");
  const bool is_path =
      !path.empty() && path.find("..") == std::string::npos && path.find_first_of("?#") == std::string::npos;
  if (!is_path) co_return web::bad_gateway("Telegram has no such file.");
  web::FetchRequest request;
  request.url = api_url_ + "/file/bot" + token_ + "/" + path;
  request.origin = origin_;
  request.timeout = file_timeout;
  request.max_bytes = traits_.max_file_bytes;
  auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status != 200)
    co_return web::bad_gateway("Telegram answered with status " + std::to_string(answer->status) + ".");
  co_return std::move(answer->body);
}

std::string Telegram::invitation_url(std::string_view secret) const {
  const std::lock_guard lock(mutex_);
  return username_.empty() ? std::string() : "https://t.me/" + username_ + "?start=" + std::string(secret);
}

}  // namespace channels
