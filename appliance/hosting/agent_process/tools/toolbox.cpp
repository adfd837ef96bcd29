#include "appliance/hosting/agent_process/tools/toolbox.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/system/system_error.hpp>

#include "appliance/models/builtin/extract.h"
#include "web/log.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t most_result_bytes = 32 * 1024;

std::string error_text(std::string_view message) { return json::serialize(json::object{{"error", message}}); }

}  // namespace

json::value plain_schema(json::value schema) {
  auto* properties = schema.as_object().if_contains("properties");
  if (!properties) return schema;
  for (auto& [name, property] : properties->as_object()) {
    auto* type = property.as_object().if_contains("type");
    if (type && type->is_array()) *type = json::value(type->get_array().front());
  }
  return schema;
}

Toolbox::Toolbox(std::vector<Tool> tools, ToolSource more)
    : tools_(std::move(tools)), own_(tools_.size()), more_(std::move(more)) {
  for (const auto& tool : tools_) definitions_.push_back(tool.definition);
}

web::Task<> Toolbox::refresh() {
  if (!more_) co_return;
  auto found = co_await more_();
  tools_.erase(tools_.begin() + std::ptrdiff_t(own_), tools_.end());
  definitions_.resize(own_);
  for (auto& tool : found) {
    if (std::ranges::count(definitions_, tool.definition.name, &models::ToolDefinition::name) > 0) continue;
    definitions_.push_back(tool.definition);
    tools_.push_back(std::move(tool));
  }
}

web::Task<web::Result<json::value>> Toolbox::attempt(const models::ToolCall& call) const {
  const auto found =
      std::find_if(tools_.begin(), tools_.end(), [&](const auto& tool) { return tool.definition.name == call.name; });
  if (found == tools_.end()) {
    std::string names;
    for (const auto& tool : tools_) names.append(names.empty() ? "" : ", ").append(tool.definition.name);
    co_return web::invalid("There is no tool named '" + std::string(models::cut(call.name, 64)) +
                           "'. The tools are: " + names);
  }
  auto arguments = web::parse_json(call.arguments, "The arguments' text");
  if (!arguments) co_return arguments.error();
  if (!arguments->is_object()) co_return web::invalid("The arguments must be a JSON object");
  co_return co_await found->run(std::move(*arguments));
}

web::Task<Toolbox::Result> Toolbox::run(models::ToolCall call) const {
  std::string failure;
  try {
    auto outcome = co_await attempt(call);
    if (!outcome) co_return Result{.content = error_text(outcome.error().message), .failed = true};
    auto content = json::serialize(*outcome);
    if (content.size() > most_result_bytes) {
      // Truncated JSON is invalid, so the rest is wrapped in a string.
      const auto part = models::cut(content, most_result_bytes / 2);
      content = json::serialize(json::object{{"truncated", true}, {"part", part}});
    }
    co_return Result{.content = std::move(content)};
  } catch (const boost::system::system_error& error) {
    if (error.code() == boost::asio::error::operation_aborted) throw;
    failure = error.what();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  web::log::warning("tool_failed", {{"tool", call.name}, {"reason", failure}});
  co_return Result{.content = error_text("The tool failed: " + failure), .failed = true};
}

}  // namespace agent_process
