#include "appliance/hosting/web_browser/page_text.h"

#include <algorithm>
#include <boost/json.hpp>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "appliance/hosting/gate/messages.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/utf8.h"

namespace browser {

namespace {

namespace json = boost::json;

constexpr std::size_t max_name_bytes = 300, max_text_bytes = 2'000, max_depth = 40;

// Parts that say nothing themselves: what is in them stands at their depth.
constexpr std::string_view transparent_roles[] = {
    "none",        "generic",        "GenericContainer", "presentation", "paragraph",    "Section",
    "LayoutTable", "LayoutTableRow", "LayoutTableCell",  "LabelText",    "MenuListPopup"};
constexpr std::string_view usable_roles[] = {"link",
                                             "button",
                                             "textbox",
                                             "searchbox",
                                             "combobox",
                                             "listbox",
                                             "option",
                                             "checkbox",
                                             "radio",
                                             "switch",
                                             "slider",
                                             "spinbutton",
                                             "menuitem",
                                             "menuitemcheckbox",
                                             "tab",
                                             "treeitem",
                                             "DisclosureTriangle",
                                             "menuitemradio",
                                             "PopUpButton",
                                             "Date",
                                             "DateTime",
                                             "InputTime",
                                             "ColorWell"};
constexpr std::string_view harmless_roles[] = {"link", "tab", "treeitem", "DisclosureTriangle"};
constexpr std::string_view shown_states[] = {"checked",  "disabled", "expanded", "selected",
                                             "required", "invalid",  "pressed",  "level"};

bool is_one_of(std::string_view role, std::span<const std::string_view> roles) {
  return std::ranges::find(roles, role) != roles.end();
}

// The value of {"name": {"type": ..., "value": ...}}, as one line.
std::string value_in(const json::object& node, std::string_view member, std::size_t max_bytes) {
  const auto* holder = web::object_member(node, member);
  const auto* value = holder ? holder->if_contains("value") : nullptr;
  if (!value) return {};
  const auto whole = value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
  const auto line = gate::in_one_line(web::trim(whole, web::white_space));
  const auto shown = web::utf8_prefix(line, max_bytes);
  return std::string(shown) + (shown.size() < line.size() ? "…" : "");
}

std::string states_of(const json::object& node) {
  std::string text;
  const auto* properties = web::array_member(node, "properties");
  if (!properties) return text;
  for (const auto& one : *properties) {
    const auto* property = one.if_object();
    if (!property) continue;
    const auto name = web::string_member(*property, "name");
    if (!is_one_of(name, shown_states)) continue;
    const auto value = value_in(*property, "value", 40);
    if (value.empty() || value == "false" || value == "\"false\"") continue;
    text += " [" + name + (value == "true" ? "" : "=" + value) + "]";
  }
  return text;
}

class Writer {
 public:
  Writer(const json::array& nodes, std::size_t max_bytes) : max_bytes_(max_bytes) {
    for (const auto& one : nodes)
      if (const auto* node = one.if_object()) nodes_.emplace(web::string_member(*node, "nodeId"), node);
    for (const auto& one : nodes)
      if (const auto* node = one.if_object(); node && web::string_member(*node, "parentId").empty())
        stack_.push_back({node, 0, {}});
    std::reverse(stack_.begin(), stack_.end());
  }

  PageText write() && {
    while (!stack_.empty()) {
      auto place = std::move(stack_.back());
      stack_.pop_back();
      if (!seen_.insert(place.node).second) continue;
      describe(place);
    }
    if (left_out_ > 0) page_.text += "(" + std::to_string(left_out_) + " lines more are left out)\n";
    return std::move(page_);
  }

 private:
  struct Place {
    const json::object* node;
    std::size_t depth;
    std::string inside;  // the name of what it is in, which says its text already
  };

  void describe(const Place& place) {
    const auto& node = *place.node;
    const auto role = value_in(node, "role", 40);
    const auto* ignored = node.if_contains("ignored");
    const bool is_ignored = ignored && ignored->is_bool() && ignored->get_bool();
    if (role == "InlineTextBox" || role == "ListMarker" || role == "LineBreak") return;
    if (is_ignored || role == "RootWebArea" || role.empty()) return descend(place, place.depth, place.inside);
    if (role == "StaticText") {
      const auto words = value_in(node, "name", max_text_bytes);
      if (!words.empty() && place.inside.find(words) == std::string::npos) line(place.depth, words);
      return;
    }
    const auto name = value_in(node, "name", max_name_bytes);
    const bool is_usable = is_one_of(role, usable_roles);
    if (!is_usable && is_one_of(role, transparent_roles)) return descend(place, place.depth, place.inside);
    auto text = "- " + role + (name.empty() ? "" : " \"" + name + "\"");
    if (is_usable) text += " [" + add_element(node, role, name) + "]";
    text += states_of(node);
    if (const auto value = value_in(node, "value", max_name_bytes); !value.empty() && value != name)
      text += ": " + value;
    line(place.depth, text);
    descend(place, place.depth + 1, name);
  }

  std::string add_element(const json::object& node, const std::string& role, const std::string& name) {
    const auto* number = node.if_contains("backendDOMNodeId");
    Element element{.ref = "e" + std::to_string(page_.elements.size() + 1), .role = role, .name = name};
    if (number && number->is_int64()) element.node = number->get_int64();
    page_.elements.push_back(element);
    return element.ref;
  }

  void line(std::size_t depth, const std::string& text) {
    const auto whole = std::string(2 * std::min(depth, max_depth), ' ') + text + "\n";
    if (left_out_ > 0 || page_.text.size() + whole.size() > max_bytes_)
      ++left_out_;
    else
      page_.text += whole;
  }

  void descend(const Place& place, std::size_t depth, const std::string& inside) {
    const auto* children = web::array_member(*place.node, "childIds");
    if (!children) return;
    for (auto child = children->end(); child != children->begin();) {
      --child;
      const auto found = nodes_.find(web::string_or_empty(&*child));
      if (found != nodes_.end()) stack_.push_back({found->second, depth, inside});
    }
  }

  const std::size_t max_bytes_;
  std::unordered_map<std::string, const json::object*> nodes_;
  std::unordered_set<const json::object*> seen_;
  std::vector<Place> stack_;
  PageText page_;
  std::size_t left_out_ = 0;
};

}  // namespace

const Element* PageText::find(std::string_view ref) const {
  const auto found = std::ranges::find(elements, ref, &Element::ref);
  return found == elements.end() ? nullptr : &*found;
}

const Element* PageText::find(std::string_view role, std::string_view name) const {
  const Element* only = nullptr;
  for (const auto& one : elements) {
    if (one.role != role || one.name != name) continue;
    if (only) return nullptr;
    only = &one;
  }
  return only;
}

PageText text_of_page(const json::array& nodes, std::size_t max_bytes) { return Writer(nodes, max_bytes).write(); }

bool is_outward(const Element& element) { return !is_one_of(element.role, harmless_roles); }

}  // namespace browser
