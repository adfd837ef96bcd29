// Souls as a tree: who is whose parent, and where each is drawn.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "appliance/network/fleet/souls.h"

namespace fleet {

struct Point {
  double x = 50, y = 50;
};

struct Tree {
  std::vector<std::optional<std::size_t>> parent;  // by place among the souls
  std::vector<std::vector<std::size_t>> children;
  std::vector<std::size_t> order;  // parents before their children
};

// Orchestrators are roots. Clones are below their parents, everything else below the first orchestrator. There must be
// an orchestrator.
Tree tree_of(const std::vector<Soul>&, const std::vector<bool>& is_orchestrator);

// Rings around the middle, one for each generation, from 0 to 100; each soul has a sector as wide as it has leaves.
std::vector<Point> layout(const Tree&);

}  // namespace fleet
