// The picture of a fleet: its souls as nodes in a tree below their orchestrators, and the edges between them. Plain
// computation: the same souls give the same picture. docs/fleet.md has the formulas.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/fleet/souls.h"

namespace fleet {

// How the load is spread over a parent's children.
BOOST_DEFINE_ENUM_CLASS(Regime, idle, balanced, uneven, saturated)

struct Spread {
  Regime regime = Regime::idle;
  double free_energy = 0;
};
Spread spread_of(const std::vector<double>& loads);  // in percent

// What only parents have: orchestrators, and agents with children.
struct ParentFields {
  std::int64_t children = 0;   // below it
  std::int64_t endpoints = 0;  // reachable souls under it, at any depth
  std::int64_t cycles = 0;     // turns of it and all under it
  Spread spread;
  std::string url;
};

struct Node {
  std::string id, name;
  Role role = Role::specialist;
  Status status = Status::idle;
  double x = 50, y = 50;  // 0 to 100
  Load load;
  std::optional<double> fitness;
  std::string wallet;  // empty: none
  std::optional<ParentFields> parent;
};

struct Edge {
  std::string id, from, to;
  double strength = 0;  // 0 to 1
};

// A connection of two souls: messages of the last day, or a swarm, whose members are workers.
struct Tie {
  std::string from, to;
  std::int64_t messages = 0;
  bool is_swarm = false;
};

struct Graph {
  std::vector<Node> nodes;  // parents before their children
  std::vector<Edge> edges;
  bool is_fallback = false;
};

inline constexpr std::string_view box_id = "box";

// Without a reachable soul: the fallback, one offline orchestrator. `box_url` is the address of the box, which is the
// orchestrator unless souls have that role.
Graph draw(std::vector<Soul>, const std::vector<Tie>&, const std::string& box_url);

}  // namespace fleet
