#include "appliance/hosting/channels/adapters/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "web/ascii.h"

namespace channels {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> named_entities{{{"amp", "&"},
                                                                                       {"lt", "<"},
                                                                                       {"gt", ">"},
                                                                                       {"quot", "\""},
                                                                                       {"apos", "'"},
                                                                                       {"nbsp", " "},
                                                                                       {"ndash", "–"},
                                                                                       {"mdash", "—"}}};
constexpr std::array<std::string_view, 12> line_elements{"br", "p",  "div", "tr", "li", "h1",
                                                         "h2", "h3", "h4",  "ul", "ol", "blockquote"};

void append_utf8(std::string& text, std::uint32_t point) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      add(0xe0 | point >> 12);
    } else {
      add(0xf0 | point >> 18);
      add(0x80 | (point >> 12 & 0x3f));
    }
    add(0x80 | (point >> 6 & 0x3f));
  }
  add(0x80 | (point & 0x3f));
}

// What "&name;" at the start stands for, and its length; 0: it is no entity.
std::size_t take_entity(std::string_view text, std::string& out) {
  constexpr std::size_t longest = 12;
  const auto end = text.substr(0, longest).find(';');
  if (end == text.npos) return 0;
  auto name = text.substr(1, end - 1);
  if (name.starts_with('#')) {
    name.remove_prefix(1);
    const bool is_hex = name.starts_with('x') || name.starts_with('X');
    if (is_hex) name.remove_prefix(1);
    std::uint32_t point = 0;
    const auto [rest, failed] = std::from_chars(name.data(), name.data() + name.size(), point, is_hex ? 16 : 10);
    const bool is_point = failed == std::errc() && rest == name.data() + name.size() && point > 0 && point < 0x110000 &&
                          (point < 0xd800 || point > 0xdfff);
    if (!is_point) return 0;
    append_utf8(out, point);
    return end + 1;
  }
  for (const auto& [known, meaning] : named_entities)
    if (known == name) {
      out += meaning;
      return end + 1;
    }
  return 0;
}

}  // namespace

std::string text_of_html(std::string_view html) {
  std::string text;
  std::string hidden;  // the element whose content is not shown
  for (std::size_t at = 0; at < html.size();) {
    const char c = html[at];
    if (c == '<') {
      if (html.substr(at).starts_with("<!--")) {
        const auto end = html.find("-->", at);
        at = end == html.npos ? html.size() : end + 3;
        continue;
      }
      const auto end = html.find('>', at);
      if (end == html.npos) break;
      auto tag = html.substr(at + 1, end - at - 1);
      at = end + 1;
      const bool closes = tag.starts_with('/');
      if (closes) tag.remove_prefix(1);
      const auto name = web::lower_case(tag.substr(0, tag.find_first_of(" \t\r\n/")));
      if (!hidden.empty()) {
        if (closes && name == hidden) hidden.clear();
      } else if (!closes && (name == "script" || name == "style" || name == "head" || name == "title")) {
        hidden = name;
      } else if (std::ranges::count(line_elements, name) > 0 && !text.empty() &&
                 (!text.ends_with('\n') || name == "br")) {
        text += '\n';
      }
      continue;
    }
    if (hidden.empty()) {
      if (c == '&') {
        if (const auto length = take_entity(html.substr(at), text)) {
          at += length;
          continue;
        }
      }
      const bool is_space = web::white_space.find(c) != std::string_view::npos;
      if (!is_space)
        text += c;
      else if (!text.empty() && !text.ends_with(' ') && !text.ends_with('\n'))
        text += ' ';
    }
    ++at;
  }
  return std::string(web::trim(text, web::white_space));
}

}  // namespace channels
