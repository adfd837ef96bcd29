// The picture of a fleet, from souls that are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "appliance/network/fleet/graph.h"

namespace fleet_graph_test {

using fleet::draw;
using fleet::Graph;
using fleet::Regime;
using fleet::Role;
using fleet::Soul;
using fleet::Status;
using testing::IsEmpty;
using testing::SizeIs;

Soul soul(std::string id, std::string parent = {}) {
  Soul made;
  made.id = std::move(id);
  made.name = made.id;
  made.parent = std::move(parent);
  made.is_reachable = true;
  return made;
}

const fleet::Node& node(const Graph& graph, std::string_view id) {
  for (const auto& one : graph.nodes)
    if (one.id == id) return one;
  throw std::logic_error("no such node");
}

TEST(FleetGraph, NeedsAReachableSoul) {
  auto stale = soul("a");
  stale.is_reachable = false;
  for (const auto& souls : {std::vector<Soul>(), std::vector{stale}}) {
    const auto graph = draw(souls, {}, "http://box");
    EXPECT_TRUE(graph.is_fallback);
    ASSERT_THAT(graph.nodes, SizeIs(1));
    EXPECT_EQ(graph.nodes[0].status, Status::offline);
    EXPECT_EQ(graph.nodes[0].role, Role::orchestrator);
    EXPECT_THAT(graph.edges, IsEmpty());
  }
}

TEST(FleetGraph, TheBoxIsTheOrchestratorUnlessAnAgentIs) {
  const std::vector souls{soul("a"), soul("b", "a"), soul("c", "deleted")};
  const auto graph = draw(souls, {}, "http://box");
  EXPECT_EQ(graph.nodes[0].id, "box");
  EXPECT_EQ(node(graph, "box").parent->url, "http://box");
  EXPECT_EQ(node(graph, "box").parent->children, 2);
  EXPECT_EQ(node(graph, "box").parent->endpoints, 3);
  EXPECT_EQ(node(graph, "a").role, Role::specialist);
  EXPECT_EQ(node(graph, "a").parent->children, 1);
  EXPECT_EQ(node(graph, "b").role, Role::worker);
  EXPECT_FALSE(node(graph, "b").parent);
  EXPECT_EQ(node(graph, "c").role, Role::specialist);

  auto led = souls;
  led[2].role = Role::orchestrator;
  const auto own = draw(led, {}, "http://box");
  ASSERT_THAT(own.nodes, SizeIs(3));
  EXPECT_EQ(own.nodes[0].id, "c");
  EXPECT_EQ(own.nodes[0].x, 50) << "in the middle";
  EXPECT_EQ(own.nodes[0].y, 50);
}

TEST(FleetGraph, StrengthComparesWithTheBusiestEdge) {
  std::vector souls{soul("a"), soul("b"), soul("c")};
  souls[0].messages_today = 10;
  souls[1].messages_today = 5;
  const auto graph =
      draw(souls, {{.from = "b", .to = "c", .messages = 20}, {.from = "b", .to = "unknown", .messages = 99}}, "");
  std::map<std::string, double> strength;
  for (const auto& edge : graph.edges) strength[edge.id] = edge.strength;
  EXPECT_EQ(strength, (std::map<std::string, double>{{"b:c", 1}, {"box:a", 0.55}, {"box:b", 0.325}, {"box:c", 0.1}}));
}

TEST(FleetGraph, MembersOfASwarmAreWorkers) {
  const auto graph =
      draw({soul("a"), soul("b"), soul("c")}, {{.from = "a", .to = "b", .messages = 1, .is_swarm = true}}, "");
  EXPECT_EQ(node(graph, "a").role, Role::specialist);
  EXPECT_EQ(node(graph, "b").role, Role::worker);
  EXPECT_EQ(node(graph, "c").role, Role::specialist);
}

TEST(FleetGraph, FitnessIsTheShareOfTurnsThatSucceeded) {
  std::vector souls{soul("a"), soul("b")};
  souls[0].recent = {.succeeded = 3, .all = 4};
  souls[0].turns = 400;
  const auto graph = draw(souls, {}, "");
  EXPECT_EQ(node(graph, "a").fitness, 75);
  EXPECT_EQ(node(graph, "b").fitness, 100) << "nothing has failed";
  EXPECT_EQ(node(graph, "box").fitness, 75);
  EXPECT_EQ(node(graph, "box").parent->cycles, 400);
}

TEST(FleetGraph, RegimesFollowTheSpreadOfLoad) {
  EXPECT_EQ(fleet::spread_of({}).regime, Regime::idle);
  EXPECT_EQ(fleet::spread_of({}).free_energy, 0);
  EXPECT_EQ(fleet::spread_of({1, 2}).regime, Regime::idle);
  EXPECT_EQ(fleet::spread_of({40, 50}).regime, Regime::balanced);
  EXPECT_EQ(fleet::spread_of({100, 0}).regime, Regime::uneven);
  EXPECT_EQ(fleet::spread_of({100, 0}).free_energy, 0.5) << "all load on one: nothing is taken off";
  EXPECT_EQ(fleet::spread_of({90, 95}).regime, Regime::saturated);
  EXPECT_EQ(fleet::spread_of({50, 50}).free_energy, 0.5);
}

TEST(FleetGraph, AThousandSoulsKeepWithinThePictureAndApart) {
  std::vector<Soul> souls;
  for (int at = 0; at < 1'000; ++at)
    souls.push_back(soul("s" + std::to_string(at), at % 3 == 0 ? "" : "s" + std::to_string(at / 2)));
  const auto graph = draw(souls, {}, "");
  ASSERT_THAT(graph.nodes, SizeIs(1'001));
  ASSERT_THAT(graph.edges, SizeIs(1'000));
  std::set<std::pair<double, double>> places;
  for (const auto& one : graph.nodes) {
    EXPECT_TRUE(one.x >= 0 && one.x <= 100 && one.y >= 0 && one.y <= 100) << one.id;
    places.emplace(one.x, one.y);
  }
  EXPECT_GT(places.size(), 900u);
  const auto again = draw(souls, {}, "");
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) EXPECT_EQ(graph.nodes[at].x, again.nodes[at].x);
}

}  // namespace fleet_graph_test
