#include "appliance/runtime/watchdog/probe.h"

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "appliance/runtime/watchdog/loopback.h"

namespace watchdog {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_list = 200;

// ": workspace, model" of `failing`, as far as it is a list of words.
std::string what_fails(const json::value& answer) {
  const auto* object = answer.if_object();
  const auto* failing = object ? object->if_contains("failing") : nullptr;
  const auto* list = failing ? failing->if_array() : nullptr;
  std::string text;
  if (list)
    for (const auto& item : *list)
      if (item.is_string() && text.size() < longest_list)
        text += (text.empty() ? ": " : ", ") + std::string(item.get_string()).substr(0, longest_list);
  return text;
}

web::Task<Report> ask(std::uint16_t port, std::string_view path, std::string_view flag,
                      std::chrono::milliseconds timeout) {
  const auto answer = co_await ask_loopback(port, path, timeout);
  if (!answer) co_return Report{Outcome::bad, "Its gateway does not answer: " + answer.error().message};
  boost::system::error_code malformed;
  const auto body = json::parse(answer->body, malformed);
  const auto* object = body.if_object();
  const auto* said = object ? object->if_contains(flag) : nullptr;
  const bool says_no = said && said->is_bool() && !said->get_bool();
  if (answer->status == 200 && !says_no) co_return Report{};
  co_return Report{Outcome::bad, "Its gateway answers " + std::string(path) + " with " +
                                     std::to_string(answer->status) + what_fails(body)};
}

}  // namespace

web::Task<Report> probe(std::uint16_t port, Command check, std::chrono::milliseconds timeout, std::string path) {
  if (!path.empty()) co_return co_await ask(port, path, "ok", timeout);
  auto report = co_await ask(port, "/healthz", "ok", timeout);
  if (report.outcome == Outcome::good && check == Command::check_ready)
    report = co_await ask(port, "/readyz", "ready", timeout);
  co_return report;
}

}  // namespace watchdog
