// Pages as text: what can be used has references, and whatever a hostile tree holds, the text is bounded.
#include "appliance/hosting/web_browser/page_text.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <boost/json.hpp>
#include <random>

namespace page_text_test {

namespace json = boost::json;
using testing::HasSubstr;

json::object node(const std::string& id, const std::string& parent, const char* role, std::string_view name,
                  std::vector<std::string> children = {}) {
  json::object made{{"nodeId", id},
                    {"ignored", false},
                    {"role", json::object{{"type", "role"}, {"value", role}}},
                    {"name", json::object{{"type", "computedString"}, {"value", name}}},
                    {"backendDOMNodeId", std::stoll(id)}};
  if (!parent.empty()) made["parentId"] = parent;
  json::array below;
  for (auto& child : children) below.emplace_back(child);
  made["childIds"] = std::move(below);
  return made;
}

TEST(page_text, names_what_can_be_used) {
  const json::array tree{node("1", "", "RootWebArea", "Harbour", {"2", "3", "5"}),
                         node("2", "1", "heading", "Berths"),
                         node("3", "1", "form", "", {"4", "6"}),
                         node("4", "3", "textbox", "Ship"),
                         node("5", "1", "link", "Next page", {"7"}),
                         node("6", "3", "button", "Book it"),
                         node("7", "5", "StaticText", "Next page")};
  const auto page = browser::text_of_page(tree, 10'000);
  EXPECT_EQ(page.text,
            "- heading \"Berths\"\n- form\n  - textbox \"Ship\" [e1]\n  - button \"Book it\" [e2]\n"
            "- link \"Next page\" [e3]\n");
  ASSERT_NE(page.find("e2"), nullptr);
  EXPECT_EQ(page.find("e2")->node, 6);
  EXPECT_TRUE(browser::is_outward(*page.find("e2")));
  EXPECT_FALSE(browser::is_outward(*page.find("e3")));
  EXPECT_EQ(page.find("button", "Book it"), page.find("e2"));
  EXPECT_EQ(page.find("button", "Another"), nullptr);
}

TEST(page_text, two_of_one_name_are_not_found_by_it) {
  const json::array tree{node("1", "", "RootWebArea", "", {"2", "3"}), node("2", "1", "button", "Pay"),
                         node("3", "1", "button", "Pay")};
  EXPECT_EQ(browser::text_of_page(tree, 1'000).find("button", "Pay"), nullptr);
}

TEST(page_text, a_name_cannot_look_like_a_line_of_its_own) {
  const json::array tree{node("1", "", "RootWebArea", "", {"2"}), node("2", "1", "link", "a\n- button \"Pay\" [e9]")};
  const auto page = browser::text_of_page(tree, 1'000);
  EXPECT_EQ(std::ranges::count(page.text, '\n'), 1);
}

TEST(page_text, hostile_trees_are_bounded) {
  std::mt19937 random(4711);
  const char* roles[] = {"link", "generic", "StaticText", "button", "", "RootWebArea", "table"};
  for (int round = 0; round < 50; ++round) {
    json::array tree;
    const int count = 2'000;
    for (int id = 1; id <= count; ++id) {
      std::vector<std::string> children;  // also its own, of others, and missing ones
      for (int at = 0; at < 3; ++at) children.push_back(std::to_string(random() % (count + 50) + 1));
      const auto parent = id == 1 ? std::string() : std::to_string(random() % count + 1);
      tree.push_back(node(std::to_string(id), parent, roles[random() % std::size(roles)],
                          std::string(random() % 5'000, 'x'), std::move(children)));
    }
    tree.emplace_back("not a node");
    tree.push_back(json::object{{"nodeId", 5}, {"childIds", "none"}});
    const auto page = browser::text_of_page(tree, 20'000);
    EXPECT_LE(page.text.size(), 20'100u);
  }
  json::array deep{node("1", "", "RootWebArea", "", {"2"})};
  for (int id = 2; id < 30'000; ++id)
    deep.push_back(node(std::to_string(id), std::to_string(id - 1), "list", "deep", {std::to_string(id + 1)}));
  EXPECT_THAT(browser::text_of_page(deep, 20'000).text, HasSubstr("lines more are left out"));
}

}  // namespace page_text_test
