#include "appliance/network/fleet/graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "appliance/network/fleet/tree.h"

namespace fleet {

namespace {

constexpr double least_strength = 0.1;  // of an edge of descent without messages
constexpr double idle_below = 0.05, saturated_from = 0.85, uneven_from = 0.25;

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

double fitness_of(TurnCounts recent) {
  if (recent.all == 0) return 100;  // nothing has failed
  return rounded(100 * static_cast<double>(recent.succeeded) / static_cast<double>(recent.all), 10);
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Between 0, all load on one, and 1, the same on all.
double evenness(const std::vector<double>& loads) {
  const auto sum = std::accumulate(loads.begin(), loads.end(), 0.0);
  if (loads.size() < 2 || sum <= 0) return 1;
  double entropy = 0;
  for (const auto load : loads)
    if (load > 0) entropy -= load / sum * std::log(load / sum);
  return entropy / std::log(static_cast<double>(loads.size()));
}

Graph fallback() {
  Graph graph{.is_fallback = true};
  graph.nodes.push_back(
      {.id = "orchestrator", .name = "Orchestrator", .role = Role::orchestrator, .status = Status::offline});
  return graph;
}

Soul box_soul(const std::string& url, const std::vector<Soul>& others) {
  Soul box;
  box.id = box_id;
  box.name = "agentbox";
  box.role = Role::orchestrator;
  box.is_reachable = true;
  box.url = url;
  const bool is_active = std::ranges::any_of(others, [](const Soul& soul) { return soul.status == Status::active; });
  box.status = is_active ? Status::active : Status::idle;
  return box;
}

std::vector<bool> orchestrators_of(const std::vector<Soul>& souls) {
  std::vector<bool> is_orchestrator;
  for (const auto& soul : souls) is_orchestrator.push_back(soul.role == Role::orchestrator);
  return is_orchestrator;
}

Role role_in(const Soul& soul, const std::vector<Soul>& souls, const std::optional<std::size_t>& parent,
             const std::set<std::string_view>& swarm_members) {
  if (soul.role) return *soul.role;
  const bool is_clone = parent && souls[*parent].id == soul.parent;
  return is_clone || swarm_members.contains(soul.id) ? Role::worker : Role::specialist;
}

// Sums over all that is under each soul, itself included.
struct Totals {
  std::vector<std::int64_t> turns, reachable;

  Totals(const std::vector<Soul>& souls, const Tree& tree) {
    for (const auto& soul : souls) {
      turns.push_back(soul.turns);
      reachable.push_back(soul.is_reachable ? 1 : 0);
    }
    for (auto at = tree.order.rbegin(); at != tree.order.rend(); ++at) {
      if (const auto& parent = tree.parent[*at]) {
        turns[*parent] += turns[*at];
        reachable[*parent] += reachable[*at];
      }
    }
  }
};

// The box has no engine that measures it: its load and turns are those of its children.
void fill_in_box(Soul& box, const std::vector<Soul>& souls, const std::vector<std::size_t>& children) {
  std::vector<double> cpu, memory;
  for (const auto child : children) {
    const auto& soul = souls[child];
    box.recent.succeeded += soul.recent.succeeded;
    box.recent.all += soul.recent.all;
    if (!soul.is_reachable) continue;
    cpu.push_back(soul.load.cpu);
    memory.push_back(soul.load.memory);
  }
  box.load = {.cpu = mean_of(cpu), .memory = mean_of(memory)};
}

ParentFields parent_fields(const std::vector<Soul>& souls, const Tree& tree, const Totals& totals, std::size_t at) {
  std::vector<double> loads;
  for (const auto child : tree.children[at])
    if (souls[child].is_reachable) loads.push_back(souls[child].load.cpu);
  return {.children = static_cast<std::int64_t>(tree.children[at].size()),
          .endpoints = totals.reachable[at] - (souls[at].is_reachable ? 1 : 0),
          .cycles = totals.turns[at],
          .spread = spread_of(loads),
          .url = souls[at].url};
}

std::vector<Edge> edges_of(const std::vector<Soul>& souls, const Tree& tree, const std::vector<Tie>& ties) {
  std::map<std::pair<std::string, std::string>, std::int64_t> messages;
  for (const auto at : tree.order)
    if (const auto& parent = tree.parent[at]) messages[{souls[*parent].id, souls[at].id}] = souls[at].messages_today;
  std::set<std::string_view> ids;
  for (const auto& soul : souls) ids.insert(soul.id);
  for (const auto& one : ties)
    if (ids.contains(one.from) && ids.contains(one.to)) messages[{one.from, one.to}] += one.messages;
  std::int64_t busiest = 0;
  for (const auto& [ends, count] : messages) busiest = std::max(busiest, count);
  std::vector<Edge> edges;
  for (const auto& [ends, count] : messages) {
    const auto share = busiest > 0 ? static_cast<double>(count) / static_cast<double>(busiest) : 0;
    edges.push_back({.id = ends.first + ":" + ends.second,
                     .from = ends.first,
                     .to = ends.second,
                     .strength = rounded(least_strength + (1 - least_strength) * share, 1000)});
  }
  return edges;
}

}  // namespace

Spread spread_of(const std::vector<double>& loads) {
  std::vector<double> shares;
  for (const auto load : loads) shares.push_back(load / 100);
  const auto mean = mean_of(shares);
  double squares = 0;
  for (const auto share : shares) squares += (share - mean) * (share - mean);
  const auto deviation = shares.empty() ? 0 : std::sqrt(squares / static_cast<double>(shares.size()));
  Spread spread{.free_energy = rounded(mean - deviation * evenness(shares), 1000)};
  if (mean < idle_below)
    spread.regime = Regime::idle;
  else if (mean >= saturated_from)
    spread.regime = Regime::saturated;
  else
    spread.regime = deviation >= uneven_from ? Regime::uneven : Regime::balanced;
  return spread;
}

Graph draw(std::vector<Soul> souls, const std::vector<Tie>& ties, const std::string& box_url) {
  if (std::ranges::none_of(souls, &Soul::is_reachable)) return fallback();
  const bool has_orchestrator =
      std::ranges::any_of(souls, [](const Soul& soul) { return soul.role == Role::orchestrator; });
  if (!has_orchestrator) souls.insert(souls.begin(), box_soul(box_url, souls));
  const auto tree = tree_of(souls, orchestrators_of(souls));
  if (!has_orchestrator) fill_in_box(souls.front(), souls, tree.children.front());
  std::set<std::string_view> swarm_members;
  for (const auto& tie : ties)
    if (tie.is_swarm) swarm_members.insert(tie.to);
  const Totals totals(souls, tree);
  const auto points = layout(tree);
  Graph graph;
  for (const auto at : tree.order) {
    const auto& soul = souls[at];
    Node node{.id = soul.id,
              .name = soul.name,
              .role = role_in(soul, souls, tree.parent[at], swarm_members),
              .status = soul.status,
              .x = points[at].x,
              .y = points[at].y,
              .load = {.cpu = rounded(soul.load.cpu, 10), .memory = rounded(soul.load.memory, 10)},
              .fitness = fitness_of(soul.recent),
              .wallet = soul.wallet};
    if (node.role == Role::orchestrator || !tree.children[at].empty())
      node.parent = parent_fields(souls, tree, totals, at);
    graph.nodes.push_back(std::move(node));
  }
  graph.edges = edges_of(souls, tree, ties);
  return graph;
}

}  // namespace fleet
