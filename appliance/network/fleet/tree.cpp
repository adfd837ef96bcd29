#include "appliance/network/fleet/tree.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <unordered_map>

namespace fleet {

namespace {

constexpr double middle = 50, outermost = 45;

double round_to_hundredths(double value) { return std::round(value * 100) / 100; }

// Without those that a circle of parents would keep from the roots. CloneOrigin has none, but it comes from records.
void put_in_order(Tree& tree) {
  for (std::size_t at = 0; at < tree.parent.size(); ++at)
    if (!tree.parent[at]) tree.order.push_back(at);
  for (std::size_t next = 0; next < tree.order.size(); ++next) {
    const auto& children = tree.children[tree.order[next]];
    tree.order.insert(tree.order.end(), children.begin(), children.end());
  }
}

}  // namespace

Tree tree_of(const std::vector<Soul>& souls, const std::vector<bool>& is_orchestrator) {
  Tree tree;
  tree.parent.resize(souls.size());
  tree.children.resize(souls.size());
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t at = 0; at < souls.size(); ++at) place.emplace(souls[at].id, at);
  const auto found = std::find(is_orchestrator.begin(), is_orchestrator.end(), true);
  const auto first = static_cast<std::size_t>(found - is_orchestrator.begin());
  for (std::size_t at = 0; at < souls.size(); ++at) {
    if (is_orchestrator[at]) continue;
    const auto cloned_from = place.find(souls[at].parent);
    const bool has_parent = cloned_from != place.end() && cloned_from->second != at;
    tree.parent[at] = has_parent ? cloned_from->second : first;
    tree.children[*tree.parent[at]].push_back(at);
  }
  put_in_order(tree);
  return tree;
}

std::vector<Point> layout(const Tree& tree) {
  const auto size = tree.parent.size();
  std::vector<double> leaves(size, 0), begin(size, 0), width(size, 0);
  std::vector<std::size_t> depth(size, 0);
  for (auto at = tree.order.rbegin(); at != tree.order.rend(); ++at) {
    if (tree.children[*at].empty()) leaves[*at] = 1;
    if (const auto& parent = tree.parent[*at]) leaves[*parent] += leaves[*at];
  }
  const auto roots = std::ranges::count_if(tree.parent, [](const auto& parent) { return !parent; });
  double all = 0, taken = 0;
  for (const auto at : tree.order)
    if (!tree.parent[at]) all += leaves[at];
  for (const auto at : tree.order) {
    if (!tree.parent[at]) {
      depth[at] = roots > 1 ? 1 : 0;
      begin[at] = taken;
      width[at] = leaves[at] / all;
      taken += width[at];
    }
    auto next = begin[at];
    for (const auto child : tree.children[at]) {
      depth[child] = depth[at] + 1;
      begin[child] = next;
      width[child] = width[at] * leaves[child] / leaves[at];
      next += width[child];
    }
  }
  const auto deepest = std::max<std::size_t>(1, *std::ranges::max_element(depth));
  std::vector<Point> points(size);
  for (const auto at : tree.order) {
    const auto angle = 2 * std::numbers::pi * (begin[at] + width[at] / 2);
    const auto radius = outermost * static_cast<double>(depth[at]) / static_cast<double>(deepest);
    points[at] = {.x = round_to_hundredths(middle + radius * std::cos(angle)),
                  .y = round_to_hundredths(middle + radius * std::sin(angle))};
  }
  return points;
}

}  // namespace fleet
