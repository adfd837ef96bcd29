#include "appliance/hosting/channels/adapters/matrix.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/oauth/form.h"
#include "web/ascii.h"
#include "web/client/fetch_url.h"
#include "web/json.h"
#include "web/log.h"

namespace channels {

namespace {

namespace json = boost::json;

constexpr std::chrono::seconds sync_time{50}, sync_margin{15}, transfer_time{120};
constexpr std::chrono::minutes clock_difference{1};
constexpr std::size_t max_missed_pages = 10, max_sync_bytes = 32u << 20;
constexpr auto matrix_token_refused = "The homeserver does not accept the access token.";
constexpr auto matrix_position = "org.agentbox.position";
constexpr auto cannot_read =
    "This room is encrypted, and I cannot read what you write here. Please talk to me in a room without encryption.";
// Inline, as the API allows.
constexpr auto sync_filter =
    R"({"room":{"timeline":{"limit":100},"state":{"lazy_load_members":true},"ephemeral":{"types":[]},)"
    R"("account_data":{"types":[]}},"presence":{"types":[]},"account_data":{"types":[]}})";

std::string path_part(std::string_view text) { return oauth::encoded(text); }

std::string homeserver_of(const Channel& channel) {
  auto url = web::string_member(channel.options, "homeserver");
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::int64_t json_integer(const json::value& value, std::string_view pointer) {
  boost::system::error_code absent;
  const auto* found = value.find_pointer(pointer, absent);
  if (found && found->is_int64()) return found->get_int64();
  if (found && found->is_double()) return std::int64_t(found->get_double());
  return 0;
}

const json::value* json_at(const json::value& value, std::string_view pointer) {
  boost::system::error_code absent;
  return value.find_pointer(pointer, absent);
}

std::string local_part(std::string_view user) {
  const auto name = user.substr(user.starts_with('@') ? 1 : 0);
  return std::string(name.substr(0, name.find(':')));
}

// "!room:server" or "!room:server $thread".
struct MatrixPlace {
  std::string room, thread;
  static MatrixPlace of(const std::string& chat) {
    const auto space = chat.find(' ');
    MatrixPlace place{.room = chat.substr(0, space), .thread = {}};
    if (space != std::string::npos) place.thread = chat.substr(space + 1);
    return place;
  }
};

// Older programs repeat what is answered in lines that begin with "> ".
std::string without_reply_fallback(std::string_view body) {
  if (!body.starts_with("> ")) return std::string(body);
  while (body.starts_with('>')) body.remove_prefix(std::min(body.find('\n'), body.size() - 1) + 1);
  return std::string(web::trim(body, web::white_space));
}

// Whether the bot is named, and the text without the name at its start.
bool take_name(std::string& text, const std::string& user) {
  const auto lower = web::lower_case(text);
  for (const auto& name : {web::lower_case(user), web::lower_case(local_part(user))}) {
    const auto at = lower.find(name);
    if (name.empty() || at == std::string::npos) continue;
    const auto end = at + name.size();
    const bool is_word =
        (at == 0 || !web::is_alphanumeric(lower[at - 1])) && (end == lower.size() || !web::is_alphanumeric(lower[end]));
    if (!is_word) continue;
    const bool is_at_start = web::trim(std::string_view(lower).substr(0, at), " @").empty();
    if (is_at_start) text = web::trim(std::string_view(text).substr(end), " \t\r\n:,");
    return true;
  }
  return false;
}

std::string media_type(std::string_view name) {
  const auto lower = web::lower_case(name);
  static constexpr std::pair<std::string_view, std::string_view> types[] = {
      {".png", "image/png"}, {".jpg", "image/jpeg"},      {".jpeg", "image/jpeg"},
      {".gif", "image/gif"}, {".ogg", "audio/ogg"},       {".mp3", "audio/mpeg"},
      {".mp4", "video/mp4"}, {".pdf", "application/pdf"}, {".txt", "text/plain"}};
  for (const auto& [ending, type] : types)
    if (lower.ends_with(ending)) return std::string(type);
  return "application/octet-stream";
}

std::string what_it_says(const json::value& answer, int status) {
  const auto why = answer.is_object() ? web::string_at(answer, "/error") : std::string();
  return "The homeserver answered with status " + std::to_string(status) + (why.empty() ? "." : ": " + why);
}

}  // namespace

web::Result<void> Matrix::check(const Channel& channel, const AdapterSettings& settings) {
  const auto url = homeserver_of(channel);
  const auto parsed = web::parse_fetch_url(url);
  if (!parsed || url.find_first_of("?#") != std::string::npos)
    return web::invalid("homeserver must be an https address, such as https://matrix.example.org");
  if (parsed->scheme != "https" && settings.user_reach == web::Reach::public_only)
    return web::invalid("homeserver must begin with https://");
  if (settings.user_reach == web::Reach::public_only && web::is_private_host(*parsed))
    return web::invalid("homeserver must not be a loopback or private address: this box does not connect to those");
  const auto token = secret_of(channel, "token");
  if (std::ranges::any_of(token, [](char c) { return c <= ' ' || c > '~'; }))
    return web::invalid("token is not an access token: it has spaces or letters that none has");
  return {};
}

Matrix::Matrix(const Channel& channel, const AdapterSettings& settings)
    : token_(secret_of(channel, "token")),
      url_(homeserver_of(channel)),
      origin_(origin_of(channel)),
      reach_(settings.user_reach),
      since_(channel.created_at - clock_difference),
      traits_{.format = Format::matrix_html,
              .text = {.length = 8'000, .in_bytes = true},  // an event has at most 65,536 bytes, an edit four forms
              .can_edit = true,
              .is_idempotent = true} {}

web::FetchRequest Matrix::request(std::string_view method, const std::string& path) const {
  web::FetchRequest made;
  made.url = url_ + path;
  made.method = method;
  made.headers = {{"Authorization", "Bearer " + token_}};
  made.origin = origin_;
  made.reach = reach_;
  return made;
}

web::Task<web::Result<json::value>> Matrix::call(std::string method, std::string path, json::object body,
                                                 std::chrono::seconds timeout) const {
  auto made = request(method, "/_matrix/client/v3" + path);
  made.timeout = timeout;
  made.max_bytes = max_sync_bytes;
  if (method != "GET") {
    made.headers.emplace_back("Content-Type", "application/json");
    made.body = json::serialize(body);
  }
  const auto answer = co_await web::fetch(std::move(made));
  if (!answer) co_return answer.error();
  boost::system::error_code failed;
  auto value = json::parse(answer->body, failed);
  if (failed) value = nullptr;
  if (answer->status == 401) co_return web::unauthenticated(matrix_token_refused);
  if (answer->status == 200 && value.is_object()) co_return value;
  auto said = what_it_says(value, answer->status);
  if (answer->status == 404) co_return web::not_found(std::move(said));
  co_return web::bad_gateway(std::move(said));
}

web::Task<web::Result<std::string>> Matrix::sign_in() {
  const auto me = co_await call("GET", "/account/whoami");
  if (!me) co_return me.error();
  user_ = web::string_at(*me, "/user_id");
  if (user_.empty()) co_return web::bad_gateway("The homeserver does not say whose access token it is.");
  const auto kept = co_await call("GET", "/user/" + path_part(user_) + "/account_data/" + matrix_position);
  if (!kept && kept.error().kind != web::Kind::not_found) co_return kept.error();
  if (kept) position_ = web::string_at(*kept, "/position");
  kept_position_ = position_;
  co_return user_;
}

// The homeserver keeps how far the box has read, so that a start continues there.
web::Task<web::Result<void>> Matrix::keep_position() {
  json::object body{{"position", position_}};
  const auto path = "/user/" + path_part(user_) + "/account_data/" + matrix_position;
  const auto kept = co_await call("PUT", path, std::move(body));
  if (!kept) co_return kept.error();
  kept_position_ = position_;
  co_return web::Result<void>();
}

web::Task<web::Result<std::vector<Received>>> Matrix::receive() {
  std::string path = "/sync?filter=" + path_part(sync_filter);
  // The first one returns at once.
  path += "&timeout=" + std::to_string(position_.empty() ? 0 : std::chrono::milliseconds(sync_time).count());
  if (!position_.empty()) path += "&since=" + path_part(position_);
  if (position_ != kept_position_) {
    const auto kept = co_await keep_position();
    if (!kept) co_return kept.error();
  }
  auto answer = co_await call("GET", std::move(path), {}, sync_time + sync_margin);
  if (!answer) co_return answer.error();
  std::vector<Received> received;
  if (const auto* invites = json_at(*answer, "/rooms/invite"); invites && invites->is_object())
    for (const auto& invite : invites->get_object()) co_await join(std::string(invite.key()));
  bool has_events = false;
  if (const auto* joined = json_at(*answer, "/rooms/join"); joined && joined->is_object())
    for (const auto& room : joined->get_object()) {
      if (!room.value().is_object()) continue;
      has_events = true;
      const auto read = co_await read_room(std::string(room.key()), room.value().get_object(), received);
      if (!read) co_return read.error();
    }
  if (const auto* left = json_at(*answer, "/rooms/leave"); left && left->is_object())
    for (const auto& room : left->get_object()) rooms_.erase(std::string(room.key()));
  position_ = web::string_at(*answer, "/next_batch");
  if (!has_events && !kept_position_.empty()) kept_position_ = position_;  // nothing to read twice
  co_return received;
}

web::Task<> Matrix::join(std::string room) {
  const auto joined = co_await call("POST", "/rooms/" + path_part(room) + "/join");
  if (!joined) web::log::info("channel_room_not_joined", {{"reason", joined.error().message}});
}

void Matrix::read_state(const json::value& events, Room& room) const {
  if (!events.is_array()) return;
  for (const auto& event : events.get_array()) {
    const auto type = web::string_member(event, "type");
    if (type == "m.room.name") room.name = web::string_at(event, "/content/name");
    if (type == "m.room.member") room.members = 0;
  }
}

web::Task<web::Result<void>> Matrix::read_room(std::string id, const json::object& update,
                                               std::vector<Received>& received) {
  const json::value value(update);
  auto& room = rooms_[id];
  if (const auto* state = json_at(value, "/state/events")) read_state(*state, room);
  json::array events;
  const auto* limited = json_at(value, "/timeline/limited");
  if (!position_.empty() && limited && limited->is_bool() && limited->get_bool()) {
    auto missed = co_await missed_events(id, web::string_at(value, "/timeline/prev_batch"));
    if (!missed) co_return missed.error();
    events = std::move(*missed);
  }
  if (const auto* timeline = json_at(value, "/timeline/events"); timeline && timeline->is_array())
    for (const auto& event : timeline->get_array()) events.push_back(event);
  const json::value all(std::move(events));
  read_state(all, room);
  if (const auto members = json_integer(value, "/summary/m.joined_member_count"); members > 0)
    room.members = std::size_t(members);
  for (const auto& event : all.get_array()) {
    const bool is_others = web::string_member(event, "sender") != user_;
    const store::Time sent{std::chrono::milliseconds(json_integer(event, "/origin_server_ts"))};
    const auto type = web::string_member(event, "type");
    if (!is_others || sent < since_ || (type != "m.room.message" && type != "m.room.encrypted")) continue;
    if (room.members == 0) co_await learn_members(id, room);
    if (type == "m.room.encrypted") {
      co_await refuse_encrypted(id, room);
    } else if (auto one = read_message(event, id, room)) {
      received.push_back(std::move(*one));
    }
  }
  co_return web::Result<void>();
}

// What was said between two syncs beyond the limit of one, oldest first.
web::Task<web::Result<json::array>> Matrix::missed_events(std::string room, std::string before) const {
  json::array newest_first;
  for (std::size_t page = 0; page < max_missed_pages && !before.empty(); ++page) {
    auto path = "/rooms/" + path_part(room) + "/messages?dir=b&limit=100&from=" + path_part(before);
    path += "&to=" + path_part(position_);
    const auto answer = co_await call("GET", std::move(path));
    if (!answer) co_return answer.error();
    const auto* chunk = json_at(*answer, "/chunk");
    if (!chunk || !chunk->is_array() || chunk->get_array().empty()) break;
    for (const auto& event : chunk->get_array()) newest_first.push_back(event);
    before = web::string_at(*answer, "/end");
  }
  std::ranges::reverse(newest_first);
  co_return newest_first;
}

web::Task<> Matrix::learn_members(std::string id, Room& room) {
  const auto answer = co_await call("GET", "/rooms/" + path_part(id) + "/joined_members");
  const auto* joined = answer ? json_at(*answer, "/joined") : nullptr;
  constexpr std::size_t many = 1'000;  // not known: a group
  room.members = joined && joined->is_object() ? joined->get_object().size() : many;
}

web::Task<> Matrix::refuse_encrypted(std::string id, Room& room) {
  if (room.has_said_so) co_return;
  room.has_said_so = true;
  json::object content{{"msgtype", "m.notice"}, {"body", cannot_read}};
  Sending sending;
  sending.chat = std::move(id);
  [[maybe_unused]] const auto sent = co_await put_message(sending, std::move(content));
}

std::optional<Received> Matrix::read_message(const json::value& event, const std::string& room_id,
                                             const Room& room) const {
  const auto kind = web::string_at(event, "/content/msgtype");
  const auto relation = web::string_at(event, "/content/m.relates_to/rel_type");
  // m.notice: other bots.
  if (kind.empty() || kind == "m.notice" || relation == "m.replace") return std::nullopt;
  Received received;
  received.event = web::string_member(event, "event_id");
  received.sender = web::string_member(event, "sender");
  received.sender_name = local_part(received.sender);
  received.sender_handle = received.sender;
  received.message = received.event;
  received.chat = room_id;
  if (relation == "m.thread") received.chat += " " + web::string_at(event, "/content/m.relates_to/event_id");
  received.text = without_reply_fallback(web::string_at(event, "/content/body"));
  const auto url = web::string_at(event, "/content/url");
  constexpr std::string_view scheme = "mxc://";
  if (url.starts_with(scheme)) {
    const auto name = web::string_at(event, "/content/filename");
    received.files.push_back({.name = name.empty() ? received.text : name,
                              .reference = url.substr(scheme.size()),
                              .size = json_integer(event, "/content/info/size")});
    if (name.empty() || name == received.text) received.text.clear();  // no caption
  }
  constexpr std::size_t two = 2;
  if (room.members > two) {
    received.group = room_id;
    received.group_name = room.name.empty() ? room_id : room.name;
    received.is_mentioned = take_name(received.text, user_);
    if (const auto* named = json_at(event, "/content/m.mentions/user_ids"); named && named->is_array())
      for (const auto& one : named->get_array())
        received.is_mentioned = received.is_mentioned || web::string_or_empty(&one) == user_;
  }
  read_answer(received);
  return received;
}

web::Task<SendResult> Matrix::put_message(const Sending& sending, json::object content) const {
  const auto place = MatrixPlace::of(sending.chat);
  // The same when the message is sent again: the homeserver then drops the second one.
  const auto transaction = sending.key.empty() ? crypto::random_id(24) : sending.key;
  auto made = request(
      "PUT", "/_matrix/client/v3/rooms/" + path_part(place.room) + "/send/m.room.message/" + path_part(transaction));
  made.headers.emplace_back("Content-Type", "application/json");
  made.body = json::serialize(content);
  made.timeout = std::chrono::seconds(20);
  bool has_begun = false;
  made.on_sending = [&has_begun] { has_begun = true; };
  const auto answer = co_await web::fetch(std::move(made));
  if (!answer) co_return failure_of(answer.error(), has_begun);
  boost::system::error_code failed;
  auto value = json::parse(answer->body, failed);
  if (failed) value = nullptr;
  if (answer->status == 200) co_return web::string_at(value, "/event_id");
  auto failure = failure_of(*answer, what_it_says(value, answer->status));
  if (const auto pause = json_integer(value, "/retry_after_ms"); pause > 0)
    failure.retry_after = std::chrono::milliseconds(pause);
  co_return failure;
}

web::Task<SendResult> Matrix::send(Sending sending) {
  if (!sending.file_name.empty()) co_return co_await send_file(sending);
  const auto text = with_answers(sending.text, sending.buttons);
  const auto place = MatrixPlace::of(sending.chat);
  json::object content{{"msgtype", "m.notice"},
                       {"body", render(text, Format::plain)},
                       {"format", "org.matrix.custom.html"},
                       {"formatted_body", render(text, Format::matrix_html)}};
  if (!sending.edits.empty()) {
    json::object changed = content;
    content["body"] = "* " + std::string(content["body"].get_string());
    content["formatted_body"] = "* " + std::string(content["formatted_body"].get_string());
    content["m.new_content"] = std::move(changed);
    content["m.relates_to"] = {{"rel_type", "m.replace"}, {"event_id", sending.edits}};
  } else if (!place.thread.empty()) {
    content["m.relates_to"] = {
        {"rel_type", "m.thread"},
        {"event_id", place.thread},
        {"is_falling_back", sending.reply_to.empty()},
        {"m.in_reply_to", {{"event_id", sending.reply_to.empty() ? place.thread : sending.reply_to}}}};
  } else if (!sending.reply_to.empty()) {
    content["m.relates_to"] = {{"m.in_reply_to", {{"event_id", sending.reply_to}}}};
  }
  co_return co_await put_message(sending, std::move(content));
}

web::Task<SendResult> Matrix::send_file(const Sending& sending) const {
  const auto type = media_type(sending.file_name);
  auto made = request("POST", "/_matrix/media/v3/upload?filename=" + path_part(sending.file_name));
  made.headers.emplace_back("Content-Type", type);
  made.body = sending.content;
  made.timeout = transfer_time;
  const auto answer = co_await web::fetch(std::move(made));
  if (!answer) co_return failure_of(answer.error(), false);
  boost::system::error_code failed;
  auto value = json::parse(answer->body, failed);
  if (failed) value = nullptr;
  const auto url = web::string_at(value, "/content_uri");
  if (answer->status != 200 || url.empty()) co_return failure_of(*answer, what_it_says(value, answer->status));
  const auto part = type.substr(0, type.find('/'));
  const bool is_shown = part == "image" || part == "audio" || part == "video";
  json::object content{{"msgtype", is_shown ? "m." + part : std::string("m.file")},
                       {"body", sending.file_name},
                       {"filename", sending.file_name},
                       {"url", url},
                       {"info", {{"mimetype", type}, {"size", sending.content.size()}}}};
  co_return co_await put_message(sending, std::move(content));
}

web::Task<> Matrix::typing(std::string chat) {
  if (user_.empty()) co_return;  // answers after a start begin before the first sign-in
  json::object body{{"typing", true}, {"timeout", 6'000}};
  const auto place = MatrixPlace::of(chat);
  const auto path = "/rooms/" + path_part(place.room) + "/typing/" + path_part(user_);
  [[maybe_unused]] const auto shown = co_await call("PUT", path, std::move(body));
}

web::Task<web::Result<std::string>> Matrix::download(FileReference file) {
  const auto slash = file.reference.find('/');
  if (slash == std::string::npos) co_return web::bad_gateway("The homeserver has no such file.");
  const auto media = path_part(file.reference.substr(0, slash)) + "/" + path_part(file.reference.substr(slash + 1));
  int status = 0;
  // Homeservers before version 1.11 of the specification have the second one only.
  for (const std::string base : {"/_matrix/client/v1/media/download/", "/_matrix/media/v3/download/"}) {
    auto made = request("GET", base + media);
    made.max_redirects = 3;
    made.timeout = transfer_time;
    made.max_bytes = traits_.max_file_bytes;
    auto answer = co_await web::fetch(std::move(made));
    if (!answer) co_return answer.error();
    if (answer->status == 200) co_return std::move(answer->body);
    status = answer->status;
    if (status != 404 && status != 400) break;
  }
  co_return web::bad_gateway("The homeserver answered with status " + std::to_string(status) + ".");
}

}  // namespace channels
