#include "appliance/agent/tools/toolbox.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/system/system_error.hpp>

#include "web/ascii.h"
#include "web/log.h"
#include "web/utf8.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_result_bytes = 32 * 1024, long_result_bytes = 16 * 1024;

// Their results come in parts already, or are short answers.
constexpr std::string_view kept_whole[] = {"read_file", "read_document", "fetch_page", "delegate"};

constexpr std::size_t max_found_tools = 8;

struct ToolQuery {
  web::Text<1, 200> words;
};
BOOST_DESCRIBE_STRUCT(ToolQuery, (), (words))

// How many of the words a tool's name or description has, whatever their case.
std::size_t count_words(std::string_view words, const models::ToolDefinition& definition) {
  const auto text = web::lower_case(definition.name + " " + definition.description);
  std::size_t count = 0;
  while (!words.empty()) {
    const auto end = std::min(words.find_first_of(" \t\r\n,"), words.size());
    const auto word = web::lower_case(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
    if (!word.empty() && text.find(word) != std::string::npos) ++count;
  }
  return count;
}

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

Toolbox::Toolbox(std::vector<Tool> tools, ToolSource more, ResultKeeper keeper)
    : tools_(std::move(tools)),
      own_(tools_.size()),
      more_(std::move(more)),
      keeper_(std::move(keeper)),
      search_(search_tool()) {}

std::vector<models::ToolDefinition> Toolbox::definitions() const {
  std::vector<models::ToolDefinition> sent;
  for (std::size_t i = 0; i < tools_.size(); ++i) {
    const auto& definition = tools_[i].definition;
    if (i < own_ || !is_searched() || std::ranges::find(found_, definition.name) != found_.end())
      sent.push_back(definition);
  }
  if (is_searched()) sent.push_back(search_.definition);
  return sent;
}

web::Task<> Toolbox::refresh() {
  if (!more_) co_return;
  auto found = co_await more_();
  tools_.erase(tools_.begin() + std::ptrdiff_t(own_), tools_.end());
  found_.clear();
  for (auto& tool : found)
    if (tool.definition.name != search_.definition.name && !find(tool.definition.name))
      tools_.push_back(std::move(tool));
}

const Tool* Toolbox::find(std::string_view name) const {
  const auto found =
      std::find_if(tools_.begin(), tools_.end(), [&](const auto& tool) { return tool.definition.name == name; });
  return found == tools_.end() ? nullptr : &*found;
}

// Tools whose name or description has most of the words come first.
Tool Toolbox::search_tool() {
  return tool<ToolQuery>(
      "find_tools",
      "Search the tools of your MCP servers, of which there are too many to list, by words of what you want to do. You "
      "can call those that it returns.",
      [this](ToolQuery asked) -> web::Task<web::Result<json::value>> {
        std::vector<std::pair<std::size_t, const Tool*>> ranked;
        for (std::size_t i = own_; i < tools_.size(); ++i)
          if (const auto count = count_words(asked.words, tools_[i].definition)) ranked.emplace_back(count, &tools_[i]);
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        json::array names;
        for (const auto& [count, tool] : ranked) {
          if (names.size() == max_found_tools) break;
          const auto& name = tool->definition.name;
          names.push_back({{"name", name}, {"description", tool->definition.description}});
          if (std::ranges::find(found_, name) == found_.end()) found_.push_back(name);
        }
        co_return json::value(json::object{{"tools", std::move(names)}, {"of", tools_.size() - own_}});
      });
}

web::Task<web::Result<json::value>> Toolbox::attempt(const models::ToolCall& call, ToolOutput output) const {
  const auto* found = is_searched() && call.name == search_.definition.name ? &search_ : find(call.name);
  if (!found) {
    std::string names;
    for (const auto& definition : definitions()) names.append(names.empty() ? "" : ", ").append(definition.name);
    co_return web::invalid("There is no tool named '" + std::string(web::utf8_prefix(call.name, 64)) +
                           "'. The tools are: " + names);
  }
  auto arguments = web::parse_json(call.arguments, "The arguments' text");
  if (!arguments) co_return arguments.error();
  if (!arguments->is_object()) co_return web::invalid("The arguments must be a JSON object");
  if (found->run_shown) co_return co_await found->run_shown(std::move(*arguments), std::move(output));
  co_return co_await found->run(std::move(*arguments));
}

web::Task<Toolbox::Result> Toolbox::run(models::ToolCall call, ToolOutput output) const {
  std::string failure;
  try {
    auto outcome = co_await attempt(call, std::move(output));
    if (!outcome) co_return Result{.content = error_text(outcome.error().message), .failed = true};
    auto content = json::serialize(*outcome);
    const bool may_keep = keeper_ && std::ranges::find(kept_whole, call.name) == std::end(kept_whole);
    if (content.size() > long_result_bytes && may_keep)
      content = co_await keeper_(call.name, std::move(*outcome), std::move(content));
    if (content.size() > max_result_bytes) {
      // Truncated JSON is invalid, so the rest is wrapped in a string.
      const auto part = web::utf8_prefix(content, max_result_bytes / 2);
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
