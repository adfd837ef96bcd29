#include "appliance/box/cli/subcommands.h"

#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/confirmation.h"
#include "appliance/box/cli/table.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

struct OverviewArguments {
  bool as_json = false;
  std::string user, status, search, agent;
};

void print_json(const json::value& value) { std::cout << json::serialize(value) << '\n'; }

std::string user_id(const BoxClient& box, const std::string& user) {
  return shown(box.call("GET", "/api/admin/users/" + escaped(user)).as_object().at("id"));
}

// A query with the user's id; empty without a user.
std::string user_query(const BoxClient& box, const OverviewArguments& given) {
  return given.user.empty() ? "" : "?userId=" + user_id(box, given.user);
}

int show_status(const BoxClient& box, const OverviewArguments& given) {
  const auto health = box.call("GET", "/health").as_object();
  const auto load = box.call("GET", "/api/health").as_object();
  const auto running = box.call("GET", "/api/admin/agents?status=running&limit=1").as_object();
  const auto agents = box.call("GET", "/api/admin/agents?limit=1").as_object();
  const auto providers = box.call("GET", "/api/admin/models/providers").as_object();
  const bool is_degraded = health.at("degraded").as_bool();
  std::string models;
  for (const auto& entry : providers.at("providers").as_array())
    if (entry.at("configured").as_bool()) models.append(models.empty() ? "" : ", ").append(shown(entry.at("provider")));
  if (given.as_json) {
    print_json(json::object{{"health", health},
                            {"load", load},
                            {"agents", json::object{{"total", agents.at("total")}, {"running", running.at("total")}}},
                            {"models", providers.at("providers")}});
  } else {
    Table table({"status", is_degraded ? "degraded" : shown(health.at("status"))});
    table.add({"store", shown(health.at("store"))});
    if (const auto* reason = health.if_contains("reason"); reason && reason->is_string())
      table.add({"reason", shown(*reason)});
    table.add({"agents", shown(running.at("total")) + " of " + shown(agents.at("total")) + " running"});
    table.add({"models", models.empty() ? "none" : models});
    table.add({"processor", std::to_string(static_cast<int>(load.at("cpu").at("usage").to_number<double>())) + " %"});
    table.add({"memory", std::to_string(static_cast<int>(load.at("memory").at("usage").to_number<double>())) + " %"});
    table.print();
  }
  return is_degraded ? 1 : 0;
}

// All pages of the agents.
json::array agents_of(const BoxClient& box, const OverviewArguments& given) {
  std::string query = "?limit=1000";
  if (!given.user.empty()) query += "&userId=" + user_id(box, given.user);
  if (!given.status.empty()) query += "&status=" + escaped(given.status);
  if (!given.search.empty()) query += "&search=" + escaped(given.search);
  json::array all;
  for (std::string after;;) {
    auto page = box.call("GET", "/api/admin/agents" + query + after).as_object();
    for (auto& agent : page.at("agents").as_array()) all.push_back(agent);
    if (page.at("next").is_null()) return all;
    after = "&after=" + escaped(shown(page.at("next")));
  }
}

int list_agents(const BoxClient& box, const OverviewArguments& given) {
  const auto agents = agents_of(box, given);
  if (given.as_json) {
    print_json(agents);
    return 0;
  }
  Table table({"ID", "STATUS", "NAME", "MODEL", "OWNER"});
  for (const auto& agent : agents)
    table.add({shown(agent.at("id")), shown(agent.at("status")), shown(agent.at("name")), shown(agent.at("model")),
               shown(agent.at("userEmail"))});
  table.print();
  return 0;
}

int list_keys(const BoxClient& box, const OverviewArguments& given) {
  const auto answer = box.call("GET", "/api/admin/operator-keys").as_object();
  if (given.as_json) {
    print_json(answer.at("keys"));
    return 0;
  }
  Table table({"NAME", "SCOPES", "CREATED", "LAST USED", "EXPIRES"});
  for (const auto& key : answer.at("keys").as_array()) {
    std::string scopes;
    for (const auto& scope : key.at("scopes").as_array()) scopes.append(scopes.empty() ? "" : ",").append(shown(scope));
    const auto at = [&](const char* name) {
      const auto* value = key.as_object().if_contains(name);
      return value ? shown(*value) : std::string("-");
    };
    table.add({at("name"), scopes, at("createdAt"), at("lastUsedAt"), at("expiresAt")});
  }
  table.print();
  return 0;
}

int show_usage(const BoxClient& box, const OverviewArguments& given) {
  const auto usage = box.call("GET", "/api/usage/summary" + user_query(box, given)).as_object();
  if (given.as_json) {
    print_json(usage);
    return 0;
  }
  Table table({"PERIOD", "CALLS", "FAILED", "INPUT", "OUTPUT", "USD"});
  for (const char* const period : {"day", "month"}) {
    const auto& sums = usage.at(period).as_object();
    table.add({shown(sums.at("period")), shown(sums.at("calls")), shown(sums.at("failed")),
               shown(sums.at("inputTokens")), shown(sums.at("outputTokens")), shown(sums.at("cost"))});
  }
  table.print();
  return 0;
}

int list_caps(const BoxClient& box, const OverviewArguments& given) {
  const auto answer = box.call("GET", "/api/admin/caps" + user_query(box, given)).as_object();
  if (given.as_json) {
    print_json(answer.at("caps"));
    return 0;
  }
  Table table({"ID", "SCOPE", "TARGET", "PERIOD", "TOKENS", "USD", "WHEN REACHED"});
  for (const auto& cap : answer.at("caps").as_array())
    table.add({shown(cap.at("id")), shown(cap.at("scope")), shown(cap.at("target")), shown(cap.at("period")),
               shown(cap.at("tokens")), shown(cap.at("usd")), shown(cap.at("whenReached"))});
  table.print();
  return 0;
}

int run_agent(const BoxClient& box, const OverviewArguments& given, const char* step) {
  const auto answer =
      box.call("POST", "/api/admin/agents/" + escaped(given.agent) + "/" + step, nullptr, std::chrono::minutes(2));
  std::cout << given.agent << " is " << shown(answer.at("status")) << '\n';
  return 0;
}

}  // namespace

void add_overview(CLI::App& app, std::function<int()>& run) {
  const auto given = std::make_shared<OverviewArguments>();
  using Act = int (*)(const BoxClient&, const OverviewArguments&);
  const auto add = [&](const char* name, const char* help, Act act) {
    auto* command = app.add_subcommand(name, help);
    command->add_flag("--json", given->as_json, "print JSON, for programs");
    connect(*command, run, [given, act](const BoxClient& box) { return act(box, *given); });
    return command;
  };
  const auto add_user = [&](CLI::App* command, const char* help) {
    command->add_option("--user", given->user, help)->type_name("USER");
  };
  add("status", "Show the state of the running box; exit code 1 unless it is ok", show_status);
  auto* agents = add("agents", "List the agents of all users, or start, stop, restart or delete one", list_agents);
  add_user(agents, "only those of this user: e-mail or id");
  agents->add_option("--status", given->status, "only those: running, stopped, error, ...");
  agents->add_option("--search", given->search, "part of the name or the subdomain, or an id");
  for (const char* const step : {"start", "stop", "restart"}) {
    auto* command =
        agents->add_subcommand(step, std::string(1, static_cast<char>(std::toupper(*step))) + (step + 1) + " an agent");
    command->add_option("agent", given->agent, "its id")->required();
    connect(*command, run, [given, step](const BoxClient& box) { return run_agent(box, *given, step); });
  }
  auto* deleting = agents->add_subcommand("delete", "Stop an agent and remove everything it has");
  deleting->add_option("agent", given->agent, "its id")->required();
  const Confirmation confirmation(*deleting);
  connect(*deleting, run, [given, confirmation](const BoxClient& box) {
    confirmation.require("Remove the agent " + given->agent + " with all its files?");
    box.call("DELETE", "/api/admin/agents/" + escaped(given->agent), nullptr, std::chrono::minutes(2));
    std::cout << given->agent << " is removed\n";
    return 0;
  });
  add("keys", "List the operator keys", list_keys);
  add_user(add("usage", "Show the model usage of today and this month, of all users or one", show_usage),
           "only that of this user: e-mail or id");
  add_user(add("caps", "List the caps on plans, or on a user", list_caps), "the caps on this user: e-mail or id");
}

}  // namespace agentbox::cli
