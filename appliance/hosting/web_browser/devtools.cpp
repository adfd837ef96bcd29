#include "appliance/hosting/web_browser/devtools.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "web/json.h"

namespace browser {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using web::Result;
using web::Task;
using Stream = asio::posix::basic_stream_descriptor<web::Executor>;

constexpr std::size_t parsed_elsewhere_bytes = 128u << 10, read_bytes = 256u << 10;

web::Error ended() { return web::unavailable("The browser has ended: open the page again."); }

std::optional<json::object> parse(const std::string& text) {
  boost::system::error_code failed;
  json::parse_options options;
  options.max_depth = 256;
  options.allow_invalid_utf8 = false;
  auto value = json::parse(text, failed, {}, options);
  if (failed || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

}  // namespace

struct DevTools::Call {
  explicit Call(asio::io_context& home) : answered(home.get_executor(), web::Timer::time_point::max()) {}
  web::Timer answered;
  std::optional<json::object> message;
};

struct DevTools::Pipes {
  Pipes(asio::io_context& home, files::Descriptor to, files::Descriptor from)
      : input(home.get_executor(), to.release()), output(home.get_executor(), from.release()) {}
  Stream input, output;
};

DevTools::DevTools(asio::io_context& home, files::Descriptor input, files::Descriptor output,
                   asio::thread_pool& blocking, OnEvent on_event)
    : home_(home),
      blocking_(blocking),
      on_event_(std::move(on_event)),
      pipes_(std::make_unique<Pipes>(home, std::move(input), std::move(output))) {}

DevTools::~DevTools() = default;

void DevTools::close() {
  is_closed_ = true;
  boost::system::error_code ignored;
  if (pipes_->input.is_open()) pipes_->input.close(ignored);
  if (pipes_->output.is_open()) pipes_->output.close(ignored);
  for (const auto& [id, call] : calls_) call->answered.cancel();
}

Task<> DevTools::run() {
  const auto self = shared_from_this();
  std::string buffer(read_bytes, '\0'), pending;
  while (!is_closed_) {
    boost::system::error_code failed;
    const auto got =
        co_await pipes_->output.async_read_some(asio::buffer(buffer), asio::redirect_error(web::use_task, failed));
    if (failed) break;
    std::size_t begin = 0;
    while (begin < got && !is_closed_) {
      const auto end = std::min(buffer.find('\0', begin), got);
      pending.append(buffer, begin, end - begin);
      begin = end + 1;
      if (pending.size() > max_message_bytes) {
        problem_ = "The page was too large for the browser.";
        close();
        break;
      }
      if (end == got) break;
      const auto text = std::exchange(pending, std::string());
      std::optional<json::object> message;
      if (text.size() > parsed_elsewhere_bytes) {
        const auto work = [&text] { return parse(text); };
        message = co_await web::offload(blocking_, work);
      } else {
        message = parse(text);
      }
      if (message) take(std::move(*message));
    }
  }
  close();
}

void DevTools::take(json::object message) {
  const auto* id = message.if_contains("id");
  if (!id) {
    auto* params = message.if_contains("params");
    auto* object = params ? params->if_object() : nullptr;
    on_event_(web::string_member(message, "method"), web::string_member(message, "sessionId"),
              object ? std::move(*object) : json::object());
    return;
  }
  const auto found = id->is_int64() ? calls_.find(id->get_int64()) : calls_.end();
  if (found == calls_.end()) return;
  found->second->message = std::move(message);
  found->second->answered.cancel();
}

std::int64_t DevTools::write(const std::string& session, const std::string& method, json::object params) {
  const auto id = ++last_id_;
  json::object message{{"id", id}, {"method", method}};
  message["params"] = std::move(params);
  if (!session.empty()) message["sessionId"] = session;
  unwritten_ += json::serialize(message);
  unwritten_ += '\0';
  if (!is_writing_ && !is_closed_) {
    is_writing_ = true;
    asio::co_spawn(home_, write_all(), asio::detached);
  }
  return id;
}

Task<> DevTools::write_all() {
  const auto self = shared_from_this();
  while (!unwritten_.empty() && !is_closed_) {
    const auto part = std::exchange(unwritten_, std::string());
    boost::system::error_code failed;
    co_await asio::async_write(pipes_->input, asio::buffer(part), asio::redirect_error(web::use_task, failed));
    if (failed) close();
  }
  is_writing_ = false;
}

void DevTools::send(const std::string& session, const std::string& method, json::object params) {
  if (!is_closed_) write(session, method, std::move(params));
}

Task<Result<json::object>> DevTools::call(std::string session, std::string method, json::object params,
                                          std::chrono::milliseconds time) {
  const auto self = shared_from_this();
  if (is_closed_) co_return ended();
  const auto id = write(session, method, std::move(params));
  const auto call = std::make_shared<Call>(home_);
  calls_[id] = call;
  call->answered.expires_after(time);
  boost::system::error_code woken;
  co_await call->answered.async_wait(asio::redirect_error(web::use_task, woken));
  calls_.erase(id);
  if (!call->message) {
    if (is_closed_) co_return ended();
    co_return web::Error{.kind = web::Kind::timeout, .message = "The browser did not answer in time."};
  }
  auto& answer = *call->message;
  if (const auto* error = web::object_member(answer, "error"))
    co_return web::bad_gateway("The browser refused " + method + ": " + web::string_member(*error, "message") + ".");
  auto* result = answer.if_contains("result");
  if (!result || !result->is_object()) co_return json::object();
  co_return std::move(result->get_object());
}

}  // namespace browser
