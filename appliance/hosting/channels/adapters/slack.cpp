#include "appliance/hosting/channels/adapters/slack.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/channels/adapters/reading.h"
#include "appliance/hosting/channels/adapters/slack_text.h"
#include "web/ascii.h"
#include "web/client/fetch_url.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace channels {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto idle_time = 90s;
constexpr auto name_timeout = 1'500ms;  // Slack waits three seconds for the acknowledgement of an event
// A section takes 3,000 characters, and a message that is edited 4,000.
constexpr std::size_t max_slack_text = 3'000, max_names = 5'000;
constexpr auto slack_rejected = "Slack does not accept the bot's token.";
constexpr auto app_token_rejected = "Slack does not accept the app-level token.";

bool is_slack_refusal(std::string_view error) {
  static constexpr std::string_view refusals[] = {"invalid_auth",          "not_authed",    "account_inactive",
                                                  "token_revoked",         "token_expired", "org_login_required",
                                                  "user_removed_from_team"};
  return std::ranges::count(refusals, error) > 0;
}

bool is_slack_passing(std::string_view error) {
  static constexpr std::string_view passing[] = {"ratelimited",      "rate_limited",    "internal_error",
                                                 "fatal_error",      "request_timeout", "service_unavailable",
                                                 "team_added_to_org"};
  return std::ranges::count(passing, error) > 0;
}

std::string slack_sentence(const web::FetchResponse& response, std::string_view error) {
  if (error.empty()) return "Slack answered with status " + std::to_string(response.status) + ".";
  if (error == "missing_scope")
    return "The Slack app lacks a scope (missing_scope): compare its scopes with those in the guide, and install it "
           "again.";
  return "Slack answered: " + std::string(error) + ".";
}

// "C1/17.5": channel and thread.
std::pair<std::string, std::string> parts_of(const std::string& chat) {
  const auto slash = chat.find('/');
  return {chat.substr(0, slash), slash == std::string::npos ? std::string() : chat.substr(slash + 1)};
}

void add_slack_files(const json::object& event, std::vector<FileReference>& files) {
  const auto* list = web::array_member(event, "files");
  if (!list) return;
  for (const auto& entry : *list) {
    const auto* file = entry.if_object();
    if (!file) continue;
    auto url = web::string_member(*file, "url_private_download");
    if (url.empty()) url = web::string_member(*file, "url_private");
    auto name = web::string_member(*file, "name");
    if (!url.empty())
      files.push_back({.name = name.empty() ? "file" : std::move(name),
                       .reference = std::move(url),
                       .size = integer_member(*file, "size")});
  }
}

// {"type": "block_actions", "user", "channel", "message", "actions"}.
std::optional<Received> read_press(const json::object& payload) {
  const json::value whole(payload);
  const auto* actions = web::array_member(payload, "actions");
  if (!actions || actions->empty()) return std::nullopt;
  Received press;
  press.button = web::string_member(actions->front(), "value");
  press.event = web::string_member(actions->front(), "action_ts");
  press.sender = web::string_at(whole, "/user/id");
  press.sender_name = web::string_at(whole, "/user/name");
  press.message = web::string_at(whole, "/message/ts");
  press.chat = web::string_at(whole, "/channel/id");
  if (!press.chat.starts_with('D')) press.group = press.chat;
  if (const auto thread = web::string_at(whole, "/message/thread_ts"); !thread.empty()) press.chat += "/" + thread;
  press.is_mentioned = true;
  if (press.button.empty() || press.sender.empty()) return std::nullopt;
  return press;
}

}  // namespace

web::Result<void> Slack::check(const Channel& channel, const AdapterSettings&) {
  if (!secret_of(channel, "token").starts_with("xoxb-"))
    return web::invalid("token is not one of a Slack bot: it begins with xoxb-");
  const auto receive = web::string_member(channel.options, "receive");
  if (!receive.empty() && receive != "socket" && receive != "events")
    return web::invalid("options.receive must be socket or events");
  if (receive == "events") {
    constexpr std::size_t min_secret = 16;
    if (secret_of(channel, "signingSecret").size() < min_secret)
      return web::invalid("secrets.signingSecret must be the app's signing secret, from its page Basic Information");
  } else if (!secret_of(channel, "appToken").starts_with("xapp-")) {
    return web::invalid("secrets.appToken must be the app-level token of the Slack app, which begins with xapp-");
  }
  return {};
}

Slack::Slack(const Channel& channel, const AdapterSettings& settings)
    : token_(secret_of(channel, "token")),
      app_token_(secret_of(channel, "appToken")),
      signing_secret_(secret_of(channel, "signingSecret")),
      api_url_(settings.slack_api_url),
      origin_(origin_of(channel)),
      reach_(reach_of_provider(settings.slack_api_url)),
      traits_{.format = Format::mrkdwn,
              .text = {.length = max_slack_text, .is_escaped = true},
              .can_edit = true,
              .pace = 100ms} {
  traits_.is_pushed = web::string_member(channel.options, "receive") == "events";
}

web::FetchRequest Slack::request(std::string_view method, const std::string& token) const {
  web::FetchRequest request;
  request.url = api_url_ + "/" + std::string(method);
  request.method = "POST";
  request.origin = origin_;
  request.timeout = api_timeout;
  request.headers = {{"Authorization", "Bearer " + token}};
  return request;
}

web::Task<web::Result<Slack::Said>> Slack::call(web::FetchRequest request) const {
  auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  Said said;
  boost::system::error_code failed;
  auto body = json::parse(answer->body, failed);
  if (!failed && body.is_object()) said.body = std::move(body.get_object());
  const auto* is_ok = said.body.if_contains("ok");
  const bool is_success = answer->status == 200 && is_ok && is_ok->is_bool() && is_ok->get_bool();
  said.error = web::string_member(said.body, "error");
  if (!is_success && said.error.empty()) said.error = "status_" + std::to_string(answer->status);
  if (is_success) said.error.clear();
  said.response = std::move(*answer);
  co_return said;
}

web::Task<web::Result<json::object>> Slack::ask(std::string method, std::string token, FormFields fields) const {
  auto request = this->request(method, token);
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  request.body = form_encoded(fields);
  auto said = co_await call(std::move(request));
  if (!said) co_return said.error();
  if (said->error.empty()) co_return std::move(said->body);
  if (is_slack_refusal(said->error))
    co_return web::unauthenticated(token == token_ ? slack_rejected : app_token_rejected);
  co_return web::bad_gateway(slack_sentence(said->response, said->error));
}

web::Task<web::Result<std::string>> Slack::sign_in() {
  FormFields none;
  const auto self = co_await ask("auth.test", token_, std::move(none));
  if (!self) co_return self.error();
  {
    const std::lock_guard lock(mutex_);
    bot_user_ = web::string_member(*self, "user_id");
  }
  if (!traits_.is_pushed) {
    const auto opened = co_await open_socket();
    if (!opened) co_return opened.error();
  }
  const auto team = web::string_member(*self, "team");
  co_return "@" + web::string_member(*self, "user") + (team.empty() ? "" : " in " + team);
}

web::Task<web::Result<void>> Slack::open_socket() {
  socket_.reset();
  is_closing_ = false;
  unacknowledged_.clear();  // Slack sends them again
  FormFields none;
  const auto opened = co_await ask("apps.connections.open", app_token_, std::move(none));
  if (!opened) co_return opened.error();
  web::WebSocketRequest request{.url = web::string_member(*opened, "url"),
                                .user_agent = "agentbox",
                                .origin = origin_,
                                .reach = reach_,
                                .idle = idle_time};
  auto socket = co_await web::open_web_socket(std::move(request));
  if (!socket) co_return socket.error();
  const auto hello = co_await (*socket)->read(std::chrono::steady_clock::now() + api_timeout);
  if (!hello) co_return hello.error();
  if (!*hello) co_return web::bad_gateway("Slack did not greet on the new connection.");
  socket_ = std::move(*socket);
  opened_at_ = std::chrono::steady_clock::now();
  co_return web::Result<void>();
}

web::Task<web::Result<void>> Slack::acknowledge() {
  for (const auto& id : std::exchange(unacknowledged_, {})) {
    auto text = json::serialize(json::object{{"envelope_id", id}});
    const auto written = co_await socket_->write(std::move(text));
    if (!written) co_return written.error();
  }
  co_return web::Result<void>();
}

web::Task<web::Result<std::vector<Received>>> Slack::receive() {
  std::vector<Received> received;
  if (socket_) {
    const auto acknowledged = co_await acknowledge();
    if (!acknowledged) socket_.reset();
  }
  if (is_closing_) socket_.reset();
  if (!socket_) {
    if (std::chrono::steady_clock::now() - opened_at_ < quick_end && !is_closing_)
      co_return web::bad_gateway("Slack closed the connection.");
    const auto opened = co_await open_socket();
    if (!opened) co_return opened.error();
  }
  auto deadline = std::chrono::steady_clock::now() + event_wait;
  while (received.size() < max_events_at_once) {
    const auto message = co_await socket_->read(deadline);
    if (!message) {
      socket_.reset();
      break;
    }
    if (!*message) break;
    boost::system::error_code failed;
    const auto envelope = json::parse(**message, failed);
    if (failed || !envelope.is_object()) continue;
    if (web::string_member(envelope, "type") == "disconnect") {
      if (web::string_member(envelope, "reason") == "link_disabled")
        co_return web::bad_gateway("Socket Mode is switched off for the Slack app.");
      is_closing_ = true;
      break;
    }
    for (auto& one : take(envelope.get_object())) {
      co_await complete(one);
      received.push_back(std::move(one));
    }
    // What is here already comes along; envelopes are acknowledged soon in any case.
    deadline = std::chrono::steady_clock::time_point();
  }
  co_return received;
}

std::vector<Received> Slack::take(const json::object& envelope) {
  if (auto id = web::string_member(envelope, "envelope_id"); !id.empty()) unacknowledged_.push_back(std::move(id));
  const auto* payload = web::object_member(envelope, "payload");
  return payload ? read_payload(*payload) : std::vector<Received>();
}

std::vector<Received> Slack::read_payload(const json::object& payload) const {
  std::optional<Received> one;
  if (web::string_member(payload, "type") == "block_actions")
    one = read_press(payload);
  else if (const auto* event = web::object_member(payload, "event"))
    one = read_event(*event);
  std::vector<Received> received;
  if (one) received.push_back(std::move(*one));
  return received;
}

std::optional<Received> Slack::read_event(const json::object& event) const {
  const auto type = web::string_member(event, "type");
  const auto subtype = web::string_member(event, "subtype");
  const bool is_message = type == "app_mention" || type == "message";
  const bool is_new = subtype.empty() || subtype == "file_share" || subtype == "thread_broadcast";
  if (!is_message || !is_new || event.contains("bot_id")) return std::nullopt;
  std::string bot;
  {
    const std::lock_guard lock(mutex_);
    bot = bot_user_;
  }
  Received received;
  received.sender = web::string_member(event, "user");
  if (received.sender.empty() || received.sender == bot) return std::nullopt;
  received.sender_name = received.sender;
  const auto channel = web::string_member(event, "channel");
  received.message = web::string_member(event, "ts");
  received.event = channel + "/" + received.message;  // a mention comes as two events
  const auto text = web::string_member(event, "text");
  received.text = read_slack_text(text, bot);
  add_slack_files(event, received.files);
  const auto thread = web::string_member(event, "thread_ts");
  received.chat = thread.empty() ? channel : channel + "/" + thread;
  if (web::string_member(event, "channel_type") == "im" || channel.starts_with('D')) return received;
  received.group = received.group_name = channel;
  // In channels each answer is in the thread of its question.
  if (thread.empty()) received.chat = channel + "/" + received.message;
  received.is_mentioned = type == "app_mention" || mentions_in_slack(text, bot) ||
                          (!bot.empty() && web::string_member(event, "parent_user_id") == bot);
  return received;
}

std::optional<Slack::Person> Slack::known_person(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto known = people_.find(id);
  return known == people_.end() ? std::nullopt : std::optional(known->second);
}

// Events have only ids of people. While Slack does not give a name, the id stands in its place.
web::Task<> Slack::complete(Received& received) {
  const bool is_for_others = !received.group.empty() && !received.is_mentioned;
  if (!received.button.empty() || received.sender.empty() || is_for_others) co_return;
  auto person = known_person(received.sender);
  if (!person) {
    auto asking = request("users.info", token_);
    asking.timeout = name_timeout;
    asking.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    asking.body = form_encoded({{"user", received.sender}, {"include_locale", "true"}});
    const auto said = co_await call(std::move(asking));
    if (!said || is_slack_passing(said->error)) co_return;  // asked again with the next message
    const json::value whole(said->body);
    person.emplace();
    person->name = web::string_at(whole, "/user/profile/display_name");
    if (person->name.empty()) person->name = web::string_at(whole, "/user/real_name");
    person->language = web::string_at(whole, "/user/locale");
    const std::lock_guard lock(mutex_);
    if (people_.size() >= max_names) people_.clear();
    people_.insert_or_assign(received.sender, *person);
  }
  if (!person->name.empty()) received.sender_name = person->name;
  received.language = person->language;
}

web::Result<Push> Slack::push(const web::Request& request, const std::string& body) const {
  if (!traits_.is_pushed || request.method != web::Method::post) return web::not_found();
  const auto stamp = request.header("X-Slack-Request-Timestamp");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(stamp.data(), stamp.data() + stamp.size(), seconds);
  const auto age = std::chrono::floor<std::chrono::seconds>(store::now()).time_since_epoch().count() - seconds;
  if (stamp.empty() || error != std::errc() || end != stamp.data() + stamp.size() ||
      std::abs(age) > max_signature_age.count())
    return web::unauthenticated("X-Slack-Request-Timestamp is missing or differs by more than five minutes");
  const auto expected =
      "v0=" + crypto::hex(crypto::hmac_sha256(signing_secret_, "v0:" + std::string(stamp) + ":" + body));
  if (!crypto::constant_time_equal(request.header("X-Slack-Signature"), expected))
    return web::unauthenticated("X-Slack-Signature is not valid");
  Push push{.received = {}, .reports = {}, .answer = {}, .content_type = "text/plain; charset=utf-8"};
  // Presses of buttons are a form with one field.
  auto text = body;
  if (web::starts_ignoring_case(request.header("Content-Type"), "application/x-www-form-urlencoded")) {
    auto payload = form_value(body, "payload");
    if (!payload) return payload.error();
    text = std::move(*payload);
  }
  const auto value = web::parse_json(text);
  if (!value) return value.error();
  if (!value->is_object()) return web::invalid("the body must be an object");
  if (web::string_member(*value, "type") == "url_verification")
    push.answer = web::string_member(*value, "challenge");
  else
    push.received = read_payload(value->get_object());
  return push;
}

web::FetchRequest Slack::message_request(const Sending& sending) const {
  const auto [channel, thread] = parts_of(sending.chat);
  const auto text = render(sending.text, Format::mrkdwn);
  json::object body{{"channel", channel}, {"text", text}};
  if (!sending.edits.empty()) {
    body["ts"] = sending.edits;
    body["blocks"] = json::array();  // otherwise those of the message stay, and hide its text
  } else {
    if (!thread.empty()) body["thread_ts"] = thread;
    body["unfurl_links"] = false;
    body["unfurl_media"] = false;
  }
  if (!sending.buttons.empty()) {
    json::array elements;
    for (const auto& button : sending.buttons)
      elements.push_back({{"type", "button"},
                          {"action_id", "choice_" + std::to_string(elements.size())},
                          {"text", {{"type", "plain_text"}, {"text", button.label}}},
                          {"value", button.data}});
    body["blocks"] = json::array{{{"type", "section"}, {"text", {{"type", "mrkdwn"}, {"text", text}}}},
                                 {{"type", "actions"}, {"elements", std::move(elements)}}};
  }
  auto made = request(sending.edits.empty() ? "chat.postMessage" : "chat.update", token_);
  made.headers.emplace_back("Content-Type", "application/json; charset=utf-8");
  made.body = json::serialize(body);
  return made;
}

web::Task<SendResult> Slack::deliver(web::FetchRequest request) const {
  bool has_begun = false;
  request.on_sending = [&has_begun] { has_begun = true; };
  const auto said = co_await call(std::move(request));
  if (!said) co_return failure_of(said.error(), has_begun);
  if (said->error.empty()) co_return web::string_member(said->body, "ts");
  auto failure = failure_of(said->response, slack_sentence(said->response, said->error));
  failure.is_refused = is_slack_refusal(said->error);
  if (failure.is_refused) failure.reason = slack_rejected;
  if (said->response.status == 200) failure.is_final = !is_slack_passing(said->error);
  co_return failure;
}

web::Task<SendResult> Slack::send(Sending sending) {
  if (!sending.file_name.empty()) {
    auto sent = send_file(std::move(sending));
    co_return co_await std::move(sent);
  }
  auto request = message_request(sending);
  co_return co_await deliver(std::move(request));
}

// Nothing is shared before the last of the three steps.
web::Task<SendResult> Slack::send_file(Sending sending) const {
  auto asking = request("files.getUploadURLExternal", token_);
  asking.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  asking.body = form_encoded({{"filename", sending.file_name}, {"length", std::to_string(sending.content.size())}});
  const auto said = co_await call(std::move(asking));
  if (!said) co_return failure_of(said.error(), false);
  if (!said->error.empty()) {
    auto failure = failure_of(said->response, slack_sentence(said->response, said->error));
    failure.is_refused = is_slack_refusal(said->error);
    if (said->response.status == 200) failure.is_final = !is_slack_passing(said->error);
    co_return failure;
  }
  web::FetchRequest upload;
  upload.url = web::string_member(said->body, "upload_url");
  upload.method = "POST";
  upload.origin = origin_;
  upload.reach = reach_;
  upload.timeout = file_timeout;
  upload.headers = {{"Content-Type", "application/octet-stream"}};
  upload.body = std::move(sending.content);
  const auto uploaded = co_await web::fetch(std::move(upload));
  if (!uploaded) co_return failure_of(uploaded.error(), false);
  if (uploaded->status != 200)
    co_return failure_of(*uploaded, "Slack answered the upload with status " + std::to_string(uploaded->status) + ".");
  const auto [channel, thread] = parts_of(sending.chat);
  json::object body{
      {"channel_id", channel},
      {"files", json::array{{{"id", web::string_member(said->body, "file_id")}, {"title", sending.file_name}}}}};
  if (!thread.empty()) body["thread_ts"] = thread;
  auto complete = request("files.completeUploadExternal", token_);
  complete.headers.emplace_back("Content-Type", "application/json; charset=utf-8");
  complete.body = json::serialize(body);
  co_return co_await deliver(std::move(complete));
}

// The token goes to Slack alone: a file may be one of another service.
web::Task<web::Result<std::string>> Slack::download(FileReference file) {
  const auto url = web::parse_fetch_url(file.reference);
  const auto api = web::parse_fetch_url(api_url_);
  if (!url || !api) co_return web::bad_gateway("Slack has no such file.");
  const bool is_slacks = url->same_origin(*api) || (url->scheme == "https" && url->host.ends_with(".slack.com"));
  web::FetchRequest request;
  request.url = file.reference;
  request.origin = origin_;
  request.reach = reach_;
  request.timeout = file_timeout;
  request.max_bytes = traits_.max_file_bytes;
  if (is_slacks) request.headers = {{"Authorization", "Bearer " + token_}};
  auto answer = co_await web::fetch(std::move(request));
  if (!answer) co_return answer.error();
  // Instead of a file that the app may not read, there is a page for signing in.
  const bool is_page = web::starts_ignoring_case(answer->header("content-type"), "text/html");
  if (answer->status != 200 || (is_page && !file.name.ends_with(".html")))
    co_return web::bad_gateway("Slack did not give the file; the app needs the scope files:read.");
  co_return std::move(answer->body);
}

}  // namespace channels
