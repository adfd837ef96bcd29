#include "appliance/box/cli/subcommands.h"

#include <iostream>
#include <memory>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/table.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

constexpr auto kinds_route = "/api/admin/channel-kinds";

struct ChannelArguments {
  std::string kind;
  std::vector<std::string> plans;
};

int list_channels(const BoxClient& box) {
  const auto answer = box.call("GET", "/api/admin/channels").as_object();
  Table table({"CHANNEL", "KIND", "AGENT", "USER", "STATE", "IDENTITY", "QUEUED", "DEAD", "ERROR"});
  for (const auto& entry : answer.at("channels").as_array()) {
    const auto& channel = entry.as_object();
    table.add({shown(channel.at("id")), shown(channel.at("kind")), shown(channel.at("agentId")),
               shown(channel.at("userId")), shown(channel.at("state")), shown(channel.at("identity")),
               shown(channel.at("queued")), shown(channel.at("deadLetters")), shown(channel.at("error"))});
  }
  table.print();
  return 0;
}

void add_kind(Table& table, const json::object& kind) {
  std::string plans;
  for (const auto& plan : kind.at("plans").as_array()) plans += (plans.empty() ? "" : ", ") + shown(plan);
  table.add({shown(kind.at("kind")), kind.at("enabled").as_bool() ? "on" : "off", plans.empty() ? "all" : plans});
}

int list_kinds(const BoxClient& box) {
  const auto answer = box.call("GET", kinds_route).as_object();
  Table table({"KIND", "STATE", "PLANS"});
  for (const auto& kind : answer.at("kinds").as_array()) add_kind(table, kind.as_object());
  table.print();
  return 0;
}

int set_kind(const BoxClient& box, const ChannelArguments& given, bool is_enabled) {
  json::object body{{"enabled", is_enabled}, {"plans", json::array(given.plans.begin(), given.plans.end())}};
  const auto kind = box.call("PUT", std::string(kinds_route) + "/" + escaped(given.kind), body).as_object();
  Table table({"KIND", "STATE", "PLANS"});
  add_kind(table, kind);
  table.print();
  return 0;
}

}  // namespace

void add_channels(CLI::App& admin, std::function<int()>& run) {
  auto* channels = admin.add_subcommand("channels", "List the messaging channels of all agents");
  const auto given = std::make_shared<ChannelArguments>();
  connect(*channels, run, list_channels);
  connect(*channels->add_subcommand("kinds", "List which kinds of channels are allowed"), run, list_kinds);
  auto* allow = channels->add_subcommand("allow", "Allow a kind of channel, to all plans or to some");
  allow->add_option("kind", given->kind, "such as telegram; see `kinds`")->required();
  allow->add_option("--plan", given->plans, "only agents of this plan; may be repeated: " + billing::plan_names());
  connect(*allow, run, [given](const BoxClient& box) { return set_kind(box, *given, true); });
  auto* forbid = channels->add_subcommand("forbid", "Switch a kind of channel off for the whole box");
  forbid->add_option("kind", given->kind, "such as telegram; see `kinds`")->required();
  connect(*forbid, run, [given](const BoxClient& box) { return set_kind(box, *given, false); });
}

}  // namespace agentbox::cli
