#include "appliance/hosting/channels/adapters/discord.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/channels/adapters/forms.h"
#include "appliance/hosting/channels/adapters/reading.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace channels {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_discord_text = 2'000, max_discord_file = 10u << 20, max_kept = 5'000, nonce_length = 25;
constexpr auto discord_rejected = "Discord does not accept the bot's token.";
enum class Interaction { ping = 1, command = 2, press = 3 };
enum class InteractionAnswer { pong = 1, message = 4, deferred_update = 6 };
constexpr int only_for_sender = 1 << 6;

std::string discord_name(const json::value& user) {
  auto name = web::string_member(user, "global_name");
  return name.empty() ? web::string_member(user, "username") : name;
}

void resolve_mention(std::string& text, const std::string& id, const std::string& name) {
  for (const auto& mention : {"<@" + id + ">", "<@!" + id + ">"}) {
    const auto at = text.find(mention);
    if (!id.empty() && at != std::string::npos) text.replace(at, mention.size(), name);
  }
}

// Of a header or member that may have a fraction.
std::optional<std::chrono::milliseconds> duration_of(double seconds) {
  constexpr double longest = 3'600;
  if (!(seconds >= 0)) return std::nullopt;
  return std::chrono::milliseconds(std::int64_t(std::ceil(std::min(seconds, longest) * 1'000)));
}
double number_of(std::string_view text) {
  double number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? number : -1;
}

std::string discord_sentence(const web::FetchResponse& response) {
  if (response.status == 401) return discord_rejected;
  boost::system::error_code failed;
  const auto body = json::parse(response.body, failed);
  const auto why = failed ? std::string() : web::string_member(body, "message");
  return "Discord answered with status " + std::to_string(response.status) + (why.empty() ? "." : ": " + why);
}

SendFailure discord_failure(const web::FetchResponse& response) {
  auto failure = failure_of(response, discord_sentence(response));
  if (response.status != 429) return failure;
  boost::system::error_code failed;
  const auto body = json::parse(response.body, failed);
  const auto* wait = !failed && body.is_object() ? body.get_object().if_contains("retry_after") : nullptr;
  if (wait && wait->is_number())
    if (auto duration = duration_of(wait->to_number<double>())) failure.retry_after = *duration;
  return failure;
}

// A command or a press of a button.
std::optional<Received> read_interaction(const json::object& interaction) {
  const json::value whole(interaction);
  const auto kind = Interaction(integer_member(interaction, "type"));
  boost::system::error_code absent;
  const auto* user = whole.find_pointer("/member/user", absent);
  if (!user) user = whole.find_pointer("/user", absent);
  if (!user || (kind != Interaction::command && kind != Interaction::press)) return std::nullopt;
  Received received;
  received.event = web::string_member(interaction, "id");
  received.sender = web::string_member(*user, "id");
  received.sender_name = discord_name(*user);
  received.chat = web::string_member(interaction, "channel_id");
  received.language = web::string_member(interaction, "locale");
  if (interaction.contains("guild_id")) received.group = received.group_name = received.chat;
  received.is_mentioned = true;
  if (kind == Interaction::press) {
    received.button = web::string_at(whole, "/data/custom_id");
    received.message = web::string_at(whole, "/message/id");
  } else {
    received.text = "/" + web::string_at(whole, "/data/name");
  }
  return received;
}

// What Discord shows at once: for a command its name, to the person alone; nothing for a press.
json::object answer_to(const json::object& interaction) {
  if (Interaction(integer_member(interaction, "type")) == Interaction::press)
    return {{"type", int(InteractionAnswer::deferred_update)}};
  const auto name = web::string_at(json::value(interaction), "/data/name");
  return {{"type", int(InteractionAnswer::message)}, {"data", {{"content", "/" + name}, {"flags", only_for_sender}}}};
}

json::array discord_commands() {
  json::array all;
  const std::pair<const char*, const char*> texts[] = {{"new", "Begin a new conversation"},
                                                       {"stop", "Stop the answer"},
                                                       {"status", "How the agent is"},
                                                       {"model", "Which model answers"},
                                                       {"help", "What this bot can do"}};
  for (const auto& [name, text] : texts) all.push_back({{"name", name}, {"type", 1}, {"description", text}});
  return all;
}

}  // namespace

web::Result<void> Discord::check(const Channel& channel, const AdapterSettings&) {
  const auto token = secret_of(channel, "token");
  const bool is_token = std::ranges::count(token, '.') == 2 && std::ranges::all_of(token, [](char c) {
                          return web::is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
                        });
  if (!is_token) return web::invalid("token is not one of a Discord bot: it has three parts with dots between them");
  return {};
}

Discord::Discord(const Channel& channel, const AdapterSettings& settings)
    : token_(secret_of(channel, "token")),
      api_url_(settings.discord_api_url),
      user_agent_("DiscordBot (" + settings.site() + ", 1)"),
      origin_(origin_of(channel)),
      reach_(reach_of_provider(settings.discord_api_url)),
      traits_{.format = Format::markdown,
              .text = {.length = max_discord_text},
              .max_file_bytes = max_discord_file,
              .can_edit = true,
              .is_idempotent = true,  // by nonces, for some minutes
              .takes_pushes = true},
      gateway_(
          token_, user_agent_, origin_, reach_, [this] { return find_gateway(); }, channel.cursor) {}

web::FetchRequest Discord::request(std::string method, const std::string& path) const {
  web::FetchRequest request;
  request.url = api_url_ + path;
  request.method = std::move(method);
  request.origin = origin_;
  request.timeout = api_timeout;
  request.headers = {{"Authorization", "Bot " + token_}, {"User-Agent", user_agent_}};
  return request;
}

web::Task<web::Result<json::value>> Discord::call(std::string method, std::string path, std::string body) const {
  auto request = this->request(std::move(method), path);
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(body);
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status == 401) co_return web::unauthenticated(discord_rejected);
  if (answer->status / 100 != 2) co_return web::bad_gateway(discord_sentence(*answer));
  boost::system::error_code failed;
  auto value = json::parse(answer->body.empty() ? "null" : answer->body, failed);
  if (failed) co_return web::bad_gateway("Discord's answer is not JSON.");
  co_return value;
}

web::Task<web::Result<std::string>> Discord::find_gateway() const {
  const auto found = co_await call("GET", "/gateway/bot");
  if (!found) co_return found.error();
  boost::system::error_code absent;
  const auto* remaining = found->find_pointer("/session_start_limit/remaining", absent);
  // Discord takes the token away from bots that begin more.
  if (remaining && remaining->is_int64() && remaining->get_int64() < 1)
    co_return web::bad_gateway("Discord lets the bot begin no more sessions today.");
  auto url = web::string_member(*found, "url");
  if (url.empty()) co_return web::bad_gateway("Discord named no gateway.");
  co_return url;
}

web::Task<web::Result<std::string>> Discord::sign_in() {
  const auto self = co_await call("GET", "/users/@me");
  if (!self) co_return self.error();
  const auto application = co_await call("GET", "/applications/@me");
  if (!application) co_return application.error();
  {
    const std::lock_guard lock(mutex_);
    user_ = web::string_member(*self, "id");
    public_key_ = crypto::unhex(web::string_member(*application, "verify_key"));
  }
  auto menu = json::serialize(discord_commands());
  const auto listed =
      co_await call("PUT", "/applications/" + web::string_member(*application, "id") + "/commands", std::move(menu));
  if (!listed) co_return listed.error();
  auto connected = co_await gateway_.open();
  // A session of before that is no longer valid.
  if (!connected && connected.error().kind != web::Kind::unauthenticated) connected = co_await gateway_.open();
  if (!connected) co_return connected.error();
  co_return "@" + web::string_member(*self, "username");
}

web::Task<web::Result<std::vector<Received>>> Discord::receive() {
  const auto events = co_await gateway_.receive();
  if (!events) co_return events.error();
  std::vector<Received> received;
  for (const auto& event : *events) {
    auto one = co_await take(event);
    if (one) received.push_back(std::move(*one));
  }
  co_return received;
}

web::Task<std::optional<Received>> Discord::take(const DiscordEvent& event) {
  if (event.type == "INTERACTION_CREATE") {
    auto received = read_interaction(event.data);
    if (received) {
      auto path = "/interactions/" + received->event + "/" + web::string_member(event.data, "token") + "/callback";
      auto answer = json::serialize(answer_to(event.data));
      [[maybe_unused]] const auto shown = co_await call("POST", std::move(path), std::move(answer));
    }
    co_return received;
  }
  if (event.type != "MESSAGE_CREATE") co_return std::nullopt;
  auto received = read_message(event.data);
  if (received && !received->group.empty() && received->is_mentioned)
    received->group_name = co_await name_of_channel(received->group);
  co_return received;
}

web::Task<std::string> Discord::name_of_channel(std::string id) {
  if (const auto known = channel_names_.find(id); known != channel_names_.end()) co_return known->second;
  const auto found = co_await call("GET", "/channels/" + id);
  auto name = found ? web::string_member(*found, "name") : std::string();
  name = name.empty() ? id : "#" + name;
  if (channel_names_.size() >= max_kept) channel_names_.clear();
  if (found) channel_names_[id] = name;
  co_return name;
}

std::optional<Received> Discord::read_message(const json::object& message) const {
  const json::value whole(message);
  boost::system::error_code absent;
  const auto* author = whole.find_pointer("/author", absent);
  if (!author || !author->is_object() || message.contains("webhook_id")) return std::nullopt;
  const auto* is_bot = author->get_object().if_contains("bot");
  if (is_bot && is_bot->is_bool() && is_bot->get_bool()) return std::nullopt;
  constexpr std::int64_t plain = 0, reply = 19;
  const auto type = integer_member(message, "type");
  if (type != plain && type != reply) return std::nullopt;
  std::string user;
  {
    const std::lock_guard lock(mutex_);
    user = user_;
  }
  Received received;
  received.event = received.message = web::string_member(message, "id");
  received.sender = web::string_member(*author, "id");
  received.sender_name = discord_name(*author);
  received.sender_handle = "@" + web::string_member(*author, "username");
  received.chat = web::string_member(message, "channel_id");
  received.text = web::string_member(message, "content");
  received.is_mentioned = !user.empty() && web::string_at(whole, "/referenced_message/author/id") == user;
  if (const auto* mentions = web::array_member(message, "mentions"))
    for (const auto& person : *mentions) {
      const auto id = web::string_member(person, "id");
      const bool is_bot_itself = !id.empty() && id == user;
      received.is_mentioned = received.is_mentioned || is_bot_itself;
      resolve_mention(received.text, id, is_bot_itself ? std::string() : "@" + discord_name(person));
    }
  received.text = web::trim(received.text, web::white_space);
  if (const auto* files = web::array_member(message, "attachments"))
    for (const auto& entry : *files)
      if (const auto* file = entry.if_object())
        received.files.push_back({.name = web::string_member(*file, "filename"),
                                  .reference = web::string_member(*file, "url"),
                                  .size = integer_member(*file, "size")});
  if (message.contains("guild_id")) received.group = received.group_name = received.chat;
  if (received.text.empty() && received.files.empty()) return std::nullopt;
  return received;
}

web::Result<Push> Discord::push(const web::Request& request, const std::string& body) const {
  if (request.method != web::Method::post) return web::not_found();
  std::string public_key;
  {
    const std::lock_guard lock(mutex_);
    public_key = public_key_;
  }
  const auto stamp = request.header("X-Signature-Timestamp");
  const auto age =
      double(std::chrono::floor<std::chrono::seconds>(store::now()).time_since_epoch().count()) - number_of(stamp);
  const bool is_signed = std::abs(age) <= double(max_signature_age.count()) &&
                         crypto::verify_ed25519(public_key, std::string(stamp) + body,
                                                crypto::unhex(std::string(request.header("X-Signature-Ed25519"))));
  if (!is_signed) return web::unauthenticated("X-Signature-Ed25519 is not valid");
  const auto value = web::parse_json(body);
  if (!value) return value.error();
  if (!value->is_object()) return web::invalid("the body must be an object");
  const auto& interaction = value->get_object();
  Push push;
  if (Interaction(integer_member(interaction, "type")) == Interaction::ping) {
    push.answer = json::serialize(json::object{{"type", int(InteractionAnswer::pong)}});
    return push;
  }
  auto received = read_interaction(interaction);
  if (!received) return web::invalid("type is not one that the box takes");
  push.answer = json::serialize(answer_to(interaction));
  push.received.push_back(std::move(*received));
  return push;
}

web::FetchRequest Discord::message_request(const Sending& sending) const {
  // No text of an agent notifies anybody.
  json::object body{{"allowed_mentions", {{"parse", json::array()}}}};
  if (sending.file_name.empty()) body["content"] = sending.text;
  if (!sending.buttons.empty()) {
    json::array row;
    for (const auto& button : sending.buttons)
      row.push_back({{"type", 2}, {"style", row.empty() ? 3 : 4}, {"label", button.label}, {"custom_id", button.data}});
    body["components"] = json::array{{{"type", 1}, {"components", std::move(row)}}};
  }
  const auto path = "/channels/" + sending.chat + "/messages";
  if (!sending.edits.empty()) {
    if (sending.buttons.empty()) body["components"] = json::array();
    auto made = request("PATCH", path + "/" + sending.edits);
    made.headers.emplace_back("Content-Type", "application/json");
    made.body = json::serialize(body);
    return made;
  }
  if (!sending.key.empty()) {
    body["nonce"] = crypto::sha256_hex(sending.key).substr(0, nonce_length);
    body["enforce_nonce"] = true;
  }
  if (!sending.reply_to.empty())
    body["message_reference"] = {{"message_id", sending.reply_to}, {"fail_if_not_exists", false}};
  auto made = request("POST", path);
  if (sending.file_name.empty()) {
    made.headers.emplace_back("Content-Type", "application/json");
    made.body = json::serialize(body);
    return made;
  }
  const auto boundary = new_boundary();
  made.headers.emplace_back("Content-Type", "multipart/form-data; boundary=" + boundary);
  made.timeout = file_timeout;
  made.body = form_data(boundary, {{"payload_json", json::serialize(body)}},
                        {.part = "files[0]",
                         .file_name = sending.file_name,
                         .media_type = media_type_of(sending.file_name, sending.content),
                         .content = sending.content});
  return made;
}

web::Task<SendResult> Discord::send(Sending sending) {
  if (const auto found = free_at_.find(sending.chat); found != free_at_.end()) {
    const auto wait = found->second - Clock::now();
    free_at_.erase(found);
    if (wait > Clock::duration::zero()) co_await web::sleep_for(wait);
  }
  auto request = message_request(sending);
  bool has_begun = false;
  request.on_sending = [&has_begun] { has_begun = true; };
  const auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return failure_of(answer.error(), has_begun);
  if (answer->header("x-ratelimit-remaining") == "0" && free_at_.size() < max_kept)
    if (const auto wait = duration_of(number_of(answer->header("x-ratelimit-reset-after"))))
      free_at_[sending.chat] = Clock::now() + *wait;
  if (answer->status / 100 != 2) co_return discord_failure(*answer);
  boost::system::error_code failed;
  const auto message = json::parse(answer->body, failed);
  co_return failed ? std::string() : web::string_member(message, "id");
}

web::Task<> Discord::typing(std::string chat) {
  [[maybe_unused]] const auto shown = co_await call("POST", "/channels/" + chat + "/typing");
}

// Attachments have addresses that need no token.
web::Task<web::Result<std::string>> Discord::download(FileReference file) {
  web::FetchRequest request;
  request.url = file.reference;
  request.origin = origin_;
  request.reach = reach_;
  request.timeout = file_timeout;
  request.max_bytes = traits_.max_file_bytes;
  auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  if (answer->status != 200) co_return web::bad_gateway(discord_sentence(*answer));
  co_return std::move(answer->body);
}

}  // namespace channels
