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

web::Task<web::Result<Sale>> Plugins::prepare(Plugin plugin, std::string action, boost::json::object input) {
  const std::string only(action_of(plugin));
  if (!action.empty() && action != only) co_return web::invalid("action must be " + only);
  auto sale = plugin == Plugin::models ? co_await prepare_call(std::move(input)) : prepare_page(plugin, input);
  if (!sale) co_return sale.error();
  sale->plugin = boost::describe::enum_to_string(plugin, "");
  sale->action = only;
  co_return std::move(*sale);
}

}  // namespace gateway
