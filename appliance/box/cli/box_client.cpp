#include "appliance/box/cli/box_client.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fstream>
#include <limits>
#include <sstream>

#include "appliance/foundation/data_folder.h"
#include "appliance/identity/acting_as.h"

namespace agentbox::cli {

namespace {

std::string text_of(const boost::json::value& value, std::string_view name) {
  const auto* object = value.if_object();
  const auto* field = object ? object->if_contains(name) : nullptr;
  return field && field->is_string() ? std::string(field->get_string()) : std::string();
}

boost::json::value parse(const std::string& text) {
  boost::system::error_code malformed;
  auto value = boost::json::parse(text, malformed);
  return malformed ? boost::json::value() : value;
}

std::string announced_backend(const DataFolder& folder) {
  std::ifstream input(folder.endpoints_file());
  std::stringstream text;
  text << input.rdbuf();
  return text_of(parse(text.str()), "backend");
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

web::Result<web::FetchResponse> fetch_blocking(web::FetchRequest request) {
  boost::asio::io_context io;
  std::optional<web::Result<web::FetchResponse>> answer;
  boost::asio::co_spawn(io, web::fetch(std::move(request)),
                        [&](std::exception_ptr failure, web::Result<web::FetchResponse> result) {
                          if (failure) std::rethrow_exception(failure);
                          answer = std::move(result);
                        });
  while (!answer && io.run_one() > 0) continue;
  if (!answer) return web::internal("the request did not end");
  return std::move(*answer);
}

BoxClient::BoxClient(const Settings& settings, const std::string& acting_as)
    : settings_(settings), acting_as_(acting_as.empty() ? system_user() : acting_as) {
  if (!is_acting_name(acting_as_)) throw UsageError(std::string("--as must be ") + acting_name_form);
  url_ = announced_backend(DataFolder(settings.data));
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
  return fetch_blocking({.url = url_ + "/health?strict", .timeout = std::chrono::seconds(5)});
}

boost::json::value BoxClient::call(std::string method, const std::string& path, const boost::json::value& body,
                                   std::chrono::seconds timeout) const {
  return parse(exchange(std::move(method), path, body, timeout));
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
  const auto value = parse(body);
  if (status == 403 && !text_of(value, "code").empty()) {
    const bool needs_admin = text_of(value, "code") == "ADMIN_REQUIRED";
    throw UsageError(text_of(value, "error") + (needs_admin ? ": give it with --as" : ""));
  }
  if (status == 401 || status == 403)
    throw UsageError("the box at " + url_ + " refuses the key: INTERNAL_API_KEY must be the one it was started with");
  const std::string message = text_of(value, "error");
  throw BoxRefusal(message.empty() ? "the box answered " + std::to_string(status) : message, text_of(value, "code"));
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
