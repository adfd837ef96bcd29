#include "appliance/payments/gateway/plugins.h"

namespace gateway {

namespace {

// Each plugin but skills has one action, which may be left out.
std::string_view action_of(Plugin plugin) {
  switch (plugin) {
    case Plugin::summarize:
      return "summarize";
    case Plugin::extract:
      return "extract";
    case Plugin::models:
      return "chat";
    case Plugin::skills:
      break;
  }
  return {};
}

}  // namespace

web::Task<web::Result<Sale>> Plugins::prepare_skill(std::string skill, boost::json::object inputs) {
  if (skill.empty()) co_return web::invalid("action must name a skill");
  if (!prepare_skill_) co_return web::not_found("No such skill is for sale");
  co_return co_await prepare_skill_(std::move(skill), std::move(inputs));
}

web::Task<web::Result<Sale>> Plugins::prepare_only(Plugin plugin, std::string action, boost::json::object input) {
  const auto only = action_of(plugin);
  if (!action.empty() && action != only) co_return web::invalid("action must be " + std::string(only));
  if (plugin == Plugin::models) co_return co_await prepare_call(std::move(input));
  co_return prepare_page(plugin, input);
}

web::Task<web::Result<Sale>> Plugins::prepare(Plugin plugin, std::string action, boost::json::object input) {
  web::Result<Sale> sale = web::invalid("plugin");
  if (plugin == Plugin::skills)
    sale = co_await prepare_skill(action, std::move(input));
  else
    sale = co_await prepare_only(plugin, action, std::move(input));
  if (!sale) co_return sale.error();
  sale->plugin = boost::describe::enum_to_string(plugin, "");
  sale->action = plugin == Plugin::skills ? action : std::string(action_of(plugin));
  co_return std::move(*sale);
}

}  // namespace gateway
