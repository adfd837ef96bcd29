// The calls of one answer of the model: reading ones run side by side, others one after the other.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/json.hpp>
#include <iterator>

#include "appliance/agent/loop.h"
#include "appliance/agent/pictures.h"
#include "web/json.h"
#include "web/log.h"
#include "web/utf8.h"

namespace agent_process {

namespace {

// Calls of these in a row do not depend on each other.
constexpr std::string_view reading_tools[] = {"summarize_page", "fetch_page", "extract_page", "web_search",
                                              "read_file",      "list_files", "find_files",   "search_files",
                                              "search_history", "git_status", "git_diff",     "git_log",
                                              "read_document",  "read_feed",  "now",          "show_wallet"};

bool only_reads(std::string_view tool) { return std::ranges::find(reading_tools, tool) != std::end(reading_tools); }

// Of a command's result: how it ended, and which files it changed.
boost::json::object trace_attributes(const std::string& result) {
  boost::json::object found;
  if (!result.starts_with(R"({"exitCode":)")) return found;
  boost::system::error_code failed;
  const auto parsed = boost::json::parse(result, failed);
  if (failed || !parsed.is_object()) return found;
  for (const char* name : {"exitCode", "endedBecause", "changedFiles"})
    if (const auto* value = parsed.get_object().if_contains(name)) found[name] = *value;
  return found;
}

// The file of a screenshot, which the model sees.
std::vector<std::string> pictures_in(const models::ToolCall& call, const Toolbox::Result& result) {
  if (call.name != "browser_screenshot" || result.failed) return {};
  boost::system::error_code failed;
  const auto parsed = boost::json::parse(result.content, failed);
  if (failed) return {};
  const auto path = web::string_member(parsed, "picture");
  return path.empty() ? std::vector<std::string>() : std::vector<std::string>{path};
}

}  // namespace

web::Task<Loop::Ran> Loop::run_tool(const models::ToolCall& call, std::size_t number, Deadline deadline,
                                    const Turn& turn) {
  Ran ran;
  if (turn.observer) turn.observer(ToolCalled{.id = call.id, .name = call.name, .arguments = call.arguments});
  ran.started_at = store::now();
  const auto began = TurnTrace::Clock::now();
  if (number >= options_.max_calls) {
    ran.result = {.content = R"({"error":"Too many tool calls at once: make fewer"})", .failed = true};
  } else if (std::chrono::steady_clock::now() >= deadline) {
    ran.result = {.content = R"({"error":"There is no time left"})", .failed = true};
  } else {
    ToolOutput output;
    if (turn.observer)
      output = [&turn, id = call.id, name = call.name](std::string text) {
        turn.observer(ToolWrote{.id = id, .name = name, .text = std::move(text)});
      };
    ran.result = co_await toolbox_of(turn).run(call, std::move(output));
  }
  ran.duration = TurnTrace::Clock::now() - began;
  if (turn.observer)
    turn.observer(ToolReturned{.id = call.id,
                               .name = call.name,
                               .result = ran.result.content,
                               .failed = ran.result.failed,
                               .duration = std::chrono::duration_cast<std::chrono::milliseconds>(ran.duration)});
  co_return ran;
}

web::Task<std::vector<Loop::Ran>> Loop::run_side_by_side(const std::vector<models::ToolCall>& calls, std::size_t first,
                                                         std::size_t end, Deadline deadline, const Turn& turn) {
  std::vector<Ran> all;
  if (end - first == 1) {
    all.push_back(co_await run_tool(calls[first], first, deadline, turn));
    co_return all;
  }
  namespace asio = boost::asio;
  const auto executor = co_await asio::this_coro::executor;
  using Operation = decltype(asio::co_spawn(executor, run_tool(calls[first], first, deadline, turn), asio::deferred));
  std::vector<Operation> operations;
  for (auto i = first; i < end; ++i)
    operations.push_back(asio::co_spawn(executor, run_tool(calls[i], i, deadline, turn), asio::deferred));
  // Ends when all have ended; cancelling it cancels them.
  auto group = asio::experimental::make_parallel_group(std::move(operations));
  auto [order, failures, ran] = co_await group.async_wait(asio::experimental::wait_for_all(), web::use_task);
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  co_return std::move(ran);
}

web::Task<std::vector<models::Message>> Loop::run_tools(const std::vector<models::ToolCall>& calls, Deadline deadline,
                                                        Turn& turn) {
  std::vector<models::Message> results;
  for (std::size_t first = 0; first < calls.size();) {
    auto end = first + 1;
    while (only_reads(calls[first].name) && end < calls.size() && only_reads(calls[end].name)) ++end;
    auto all = co_await run_side_by_side(calls, first, end, deadline, turn);
    for (std::size_t i = first; i < end; ++i) {
      auto& [result, started_at, duration] = all[i - first];
      const auto& call = calls[i];
      turn.guard.saw_call(call, result.failed);
      turn.trace.add_tool_call(call.name, started_at, duration, result.failed, trace_attributes(result.content));
      web::log::info("tool_ran", {{"tool", std::string(web::utf8_prefix(call.name, 64))}, {"failed", result.failed}});
      auto parts = picture_parts(result.content, pictures_in(call, result));
      results.push_back({.role = models::Role::tool,
                         .content = std::move(result.content),
                         .tool_call_id = call.id,
                         .parts = std::move(parts)});
    }
    first = end;
  }
  co_return results;
}

}  // namespace agent_process
