#include "summarizer/json_ld.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <vector>

#include "summarizer/scanner.h"
#include "summarizer/text.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

constexpr std::size_t max_json_ld_items = 16, max_json_ld_bytes = 64u << 10, max_json_ld_article_bytes = 1u << 20,
                      max_json_ld_attributes = 16, max_json_ld_type = 64;
constexpr unsigned max_json_ld_depth = 32;
constexpr std::string_view json_ld_type = "application/ld+json";

bool is_json_ld(const Token& token) {
  return std::ranges::any_of(token.attributes, [](const RawAttribute& attribute) {
    return web::equal_ignoring_case(attribute.name, "type") &&
           web::starts_ignoring_case(web::trim(attribute.value), json_ld_type);
  });
}

bool holds_raw_text(std::string_view name) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"script", "style", "title", "textarea", "iframe"},
                             [name](auto raw) { return web::equal_ignoring_case(name, raw); });
}

// Some pages wrap the JSON in comments or CDATA.
std::string_view unwrapped(std::string_view text) {
  text = trimmed(text);
  for (const auto& [open, close] :
       {std::pair<std::string_view, std::string_view>{"<!--", "-->"}, {"//<![CDATA[", "//]]>"}, {"<![CDATA[", "]]>"}}) {
    if (!text.starts_with(open) || !text.ends_with(close) || text.size() < open.size() + close.size()) continue;
    text.remove_prefix(open.size());
    text.remove_suffix(close.size());
    text = trimmed(text);
  }
  return text;
}

using Objects = std::vector<const boost::json::object*>;

void collect(const boost::json::value& value, Objects& objects, unsigned depth = 0) {
  if (depth > max_json_ld_depth) return;
  if (const auto* array = value.if_array()) {
    for (const auto& item : *array) collect(item, objects, depth + 1);
  } else if (const auto* object = value.if_object()) {
    objects.push_back(object);
    if (const auto* graph = object->if_contains("@graph")) collect(*graph, objects, depth + 1);
  }
}

bool is_about_a_text(const boost::json::object& object) {
  const auto names = [](const boost::json::value& value) {
    const auto* name = value.if_string();
    return name && (name->ends_with("Article") || name->ends_with("Posting") || name->ends_with("Page") ||
                    *name == "Report" || *name == "Recipe" || *name == "Review");
  };
  const auto* kind = object.if_contains("@type");
  if (!kind) return false;
  const auto* kinds = kind->if_array();
  return kinds ? std::ranges::any_of(*kinds, names) : names(*kind);
}

std::string find_text(const boost::json::value& value, std::string_view path, unsigned depth = 0) {
  if (depth > max_json_ld_depth) return {};
  if (const auto* array = value.if_array()) {
    for (const auto& item : *array) {
      if (auto text = find_text(item, path, depth + 1); !text.empty()) return text;
    }
  }
  if (const auto* text = value.if_string(); text && (path.empty() || path == "name")) return std::string(*text);
  const auto* object = value.if_object();
  if (!object || path.empty()) return {};
  const auto key = path.substr(0, path.find('.'));
  const auto* inner = object->if_contains(key);
  return inner ? find_text(*inner, path.substr(std::min(key.size() + 1, path.size())), depth + 1) : std::string();
}

}  // namespace

namespace {

boost::json::array parse_all(std::string_view html, std::size_t max_bytes) {
  boost::json::array found;
  // Most pages have none: then no tag is parsed.
  if (html.find(json_ld_type) == html.npos) return found;
  boost::json::parse_options options;
  options.max_depth = max_json_ld_depth;
  Scanner scanner(html, max_json_ld_attributes, max_json_ld_type);
  while (found.size() < max_json_ld_items && scanner.next()) {
    const Token& token = scanner.token();
    if (token.kind != Token::Kind::start_tag || !holds_raw_text(token.name)) continue;
    const bool is_candidate = is_json_ld(token);
    const auto text = unwrapped(scanner.raw_text(token.name));
    if (!is_candidate || text.size() > max_bytes) continue;
    boost::system::error_code malformed;
    auto value = boost::json::parse(text, malformed, {}, options);
    if (!malformed && (value.is_object() || value.is_array())) found.push_back(std::move(value));
  }
  return found;
}

// Paragraphs of plain text as markup.
std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find_first_of("\r\n"));
    out += "<p>";
    for (const char c : line) out.append(c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string_view(&c, 1));
    out += "</p>";
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return out;
}

bool is_markup(std::string_view text) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"<p>", "<p ", "<br", "</a>", "</div>"},
                             [text](auto tag) { return text.find(tag) != text.npos; });
}

}  // namespace

boost::json::array json_ld_of(std::string_view html) { return parse_all(html, max_json_ld_bytes); }

std::string article_body_of(std::string_view html) {
  const auto body = json_ld_text(parse_all(html, max_json_ld_article_bytes), "articleBody");
  if (body.empty()) return {};
  return "<article>" + (is_markup(body) ? body : paragraphs(body)) + "</article>";
}

std::string json_ld_text(const boost::json::array& items, std::string_view path) {
  Objects objects;
  for (const auto& item : items) collect(item, objects);
  std::stable_partition(objects.begin(), objects.end(), [](const auto* object) { return is_about_a_text(*object); });
  const auto key = path.substr(0, path.find('.'));
  for (const auto* object : objects) {
    const auto* value = object->if_contains(key);
    if (!value) continue;
    if (auto text = find_text(*value, path.substr(std::min(key.size() + 1, path.size()))); !text.empty()) return text;
  }
  return {};
}

}  // namespace summarizer
