#include "appliance/payments/gateway/plugins.h"

namespace gateway {

namespace {

// Each plugin has one action, which may be left out.
std::string_view action_of(Plugin plugin) {
  switch (plugin) {
    case Plugin::summarize:
      return "summarize";
    case Plugin::extract:
      return "extract";
    case Plugin::models:
      return "chat";
  }
  return {};
}

}  // namespace

// Not with a conditional operator, from which GCC 12 moves an awaited value bit by bit.
web::Task<web::Result<Sale>> Plugins::prepare(Plugin plugin, boost::json::object input) {
  if (plugin == Plugin::models) co_return co_await prepare_call(std::move(input));
  co_return prepare_page(plugin, input);
}

web::Task<web::Result<Sale>> Plugins::prepare(Plugin plugin, std::string action, boost::json::object input) {
  const std::string only(action_of(plugin));
  if (!action.empty() && action != only) co_return web::invalid("action must be " + only);
  auto sale = co_await prepare(plugin, std::move(input));
  if (!sale) co_return sale.error();
  sale->plugin = boost::describe::enum_to_string(plugin, "");
  sale->action = only;
  co_return std::move(*sale);
}

}  // namespace gateway
