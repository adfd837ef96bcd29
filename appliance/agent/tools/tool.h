// A tool: its description for the model, and its implementation. The arguments are a described struct whose member
// types are both the JSON Schema the model sees and the validation (web/routes/fields.h).
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <utility>

#include "appliance/models/chat.h"
#include "web/result.h"
#include "web/routes/fields.h"
#include "web/task.h"

namespace agent_process {

// Why the agent calls a tool that its owner may have to allow: the owner reads it with the question.
using Reason = std::optional<web::Prose<0, 1'000>>;

// What a tool shows while it runs. Must not throw.
using ToolOutput = std::function<void(std::string)>;

struct Tool {
  models::ToolDefinition definition;
  // Errors are read by the model: sentences that say how to correct the call.
  std::function<web::Task<web::Result<boost::json::value>>(boost::json::value arguments)> run;
  // Instead of `run`, for tools that show what they do meanwhile; the output may be empty.
  std::function<web::Task<web::Result<boost::json::value>>(boost::json::value arguments, ToolOutput)> run_shown{};
};

// The schema of an arguments object with one type per property. Many model servers reject the list of types ("integer"
// or "null") of optional members; models omit those instead.
boost::json::value plain_schema(boost::json::value);

// `run` takes (Arguments) and is a coroutine.
template <class Arguments, class Run>
Tool tool(std::string name, std::string description, Run run) {
  return {.definition = {.name = std::move(name),
                         .description = std::move(description),
                         .parameters = plain_schema(web::schema_of<Arguments>())},
          .run = [run = std::move(run)](boost::json::value value) -> web::Task<web::Result<boost::json::value>> {
            auto arguments = web::parse_value<Arguments>(value);
            if (!arguments) co_return arguments.error();
            co_return co_await run(std::move(*arguments));
          }};
}

// The same for `run_shown`: `run` takes (Arguments, ToolOutput).
template <class Arguments, class Run>
Tool streaming_tool(std::string name, std::string description, Run run) {
  return {.definition = {.name = std::move(name),
                         .description = std::move(description),
                         .parameters = plain_schema(web::schema_of<Arguments>())},
          .run = {},
          .run_shown = [run = std::move(run)](boost::json::value value,
                                              ToolOutput output) -> web::Task<web::Result<boost::json::value>> {
            auto arguments = web::parse_value<Arguments>(value);
            if (!arguments) co_return arguments.error();
            co_return co_await run(std::move(*arguments), std::move(output));
          }};
}

// `run` takes (Arguments), blocks, and runs on `pool`, which must outlive the tool.
template <class Arguments, class Run>
Tool blocking_tool(boost::asio::thread_pool& pool, std::string name, std::string description, Run run) {
  return tool<Arguments>(
      std::move(name), std::move(description),
      [&pool, run = std::move(run)](Arguments arguments) -> web::Task<web::Result<boost::json::value>> {
        // References only: the frame outlives the work, and g++ 12 destroys captures of a lambda in a co_await twice.
        const auto work = [&] { return run(arguments); };
        co_return co_await web::offload(pool, work);
      });
}

}  // namespace agent_process
