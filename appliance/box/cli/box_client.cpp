#include "appliance/box/cli/box_client.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <limits>

#include "appliance/access/acting_as.h"
#include "appliance/foundation/data_folder.h"
#include "web/json.h"

namespace agentbox::cli {

namespace {

boost::json::value parse_or_null(const std::string& text) {
  boost::system::error_code malformed;
  auto value = boost::json::parse(text, malformed);
  return malformed ? boost::json::value() : value;
}

// The login name, else the number, of the user that runs the program.
std::string system_user() {
  const uid_t id = geteuid();
  passwd entry{}, *found = nullptr;
  std::array<char, 4096> buffer{};
  if (getpwuid_r(id, &entry, buffer.data(), buffer.size(), &found) == 0 && found && is_acting_name(found->pw_name))
    return found->pw_name;
  return "uid " + std::to_string(id);
}

}  // namespace

std::string announced_url(const Settings& settings, const char* listener) {
  const auto text = read_folder_file(DataFolder(settings.data).endpoints_file());
  return text ? web::string_member(parse_or_null(*text), listener) : std::string();
}

BoxClient::BoxClient(const Settings& settings, const std::string& acting_as)
    : settings_(settings), acting_as_(acting_as.empty() ? system_user() : acting_as) {
  if (!is_acting_name(acting_as_)) throw UsageError(std::string("--as must be ") + acting_name_form);
  url_ = announced_url(settings, "backend");
  announced_ = !url_.empty();
  if (!announced_) url_ = "http://" + settings.backend_listen;
}

std::optional<std::filesystem::path> BoxClient::data_folder() const {
  return announced_ ? std::optional(settings_.data) : std::nullopt;
}

bool BoxClient::is_running() const {
  if (!announced_) return false;
  const auto answer = health();
  return answer && (answer->status == 200 || answer->status == 503);
}

web::Result<web::FetchResponse> BoxClient::health() const {
  return web::fetch_blocking({.url = url_ + "/health?strict", .timeout = std::chrono::seconds(5)});
}

boost::json::value BoxClient::call(std::string method, const std::string& path, const boost::json::value& body,
                                   std::chrono::seconds timeout) const {
  return parse_or_null(exchange(std::move(method), path, body, timeout));
}

std::string BoxClient::get_text(const std::string& path) const {
  return exchange("GET", path, nullptr, std::chrono::seconds(30));
}

web::FetchRequest BoxClient::request(std::string method, const std::string& path, std::chrono::seconds timeout) const {
  if (settings_.internal_api_key.empty()) {
    throw UsageError("INTERNAL_API_KEY is not set: name the box's data folder with --data, or run agentbox init first");
  }
  web::FetchRequest request{.url = url_ + path, .method = std::move(method), .timeout = timeout};
  request.headers.emplace_back("Authorization", "Bearer " + settings_.internal_api_key);
  request.headers.emplace_back(acting_as_header, acting_as_);
  if (acting_as_.find('@') != std::string::npos) request.headers.emplace_back(user_email_header, acting_as_);
  return request;
}

void BoxClient::report_no_box() const {
  throw UsageError("no box answers at " + url_ + ": start it with agentbox serve --data " +
                   std::filesystem::absolute(settings_.data).lexically_normal().string());
}

void BoxClient::refuse(int status, const std::string& body) const {
  const auto value = parse_or_null(body);
  if (status == 403 && !web::string_member(value, "code").empty()) {
    const bool needs_admin = web::string_member(value, "code") == "ADMIN_REQUIRED";
    throw UsageError(web::string_member(value, "error") + (needs_admin ? ": give it with --as" : ""));
  }
  if (status == 401 || status == 403)
    throw UsageError("the box at " + url_ + " refuses the key: INTERNAL_API_KEY must be the one it was started with");
  const std::string message = web::string_member(value, "error");
  throw BoxRefusal(message.empty() ? "the box answered " + std::to_string(status) : message,
                   web::string_member(value, "code"));
}

std::string BoxClient::exchange(std::string method, const std::string& path, const boost::json::value& body,
                                std::chrono::seconds timeout) const {
  auto asked = request(std::move(method), path, timeout);
  if (!body.is_null()) {
    asked.headers.emplace_back("Content-Type", "application/json");
    asked.body = boost::json::serialize(body);
  }
  auto answer = fetch_blocking(std::move(asked));
  if (!answer) report_no_box();
  if (answer->status >= 400) refuse(answer->status, answer->body);
  return std::move(answer->body);
}

void BoxClient::stream(const std::string& path, std::function<bool(std::string_view)> sink) const {
  auto asked = request("GET", path, std::chrono::seconds(0));
  bool is_refused = false;
  std::string refusal;
  asked.on_head = [&](int status, const web::FetchHeaders&) {
    is_refused = status >= 400;
    return true;
  };
  asked.sink = [&](std::string_view bytes) {
    if (!is_refused) return sink(bytes);
    refusal += bytes;
    return true;
  };
  asked.max_bytes = std::numeric_limits<std::size_t>::max();
  const auto answer = fetch_blocking(std::move(asked));
  if (is_refused) refuse(answer ? answer->status : 500, refusal);
  if (!answer && refusal.empty()) report_no_box();
}

}  // namespace agentbox::cli
