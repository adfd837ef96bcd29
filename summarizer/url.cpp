#include "summarizer/url.h"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <charconv>

#include "web/ascii.h"
#include "web/client/fetch_url.h"
#include "web/uri.h"

namespace summarizer {
namespace {

namespace urls = boost::urls;

constexpr std::size_t max_length = 8192;

bool is_control_or_space(char c) { return static_cast<unsigned char>(c) <= 0x20; }

void append_encoded(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += {'%', digits[byte >> 4], digits[byte & 15]};
}

// Repairs an address from a page into RFC 3986 syntax.
std::string repaired(std::string_view reference) {
  while (!reference.empty() && is_control_or_space(reference.front())) reference.remove_prefix(1);
  while (!reference.empty() && is_control_or_space(reference.back())) reference.remove_suffix(1);
  std::string clean;
  bool in_path = true;  // before the query, where browsers read '\' as '/'
  for (const char c : reference) {
    if (c == '\t' || c == '\n' || c == '\r') continue;
    if (c == '?' || c == '#') in_path = false;
    clean += c == '\\' && in_path ? '/' : c;
  }

  // Brackets are syntax only in the authority.
  std::size_t authority_end = 0;
  if (const auto slashes = clean.find("//"); slashes != clean.npos && clean.find_first_of("?#") > slashes) {
    if (slashes == 0 || clean[slashes - 1] == ':') {
      authority_end = std::min(clean.find_first_of("/?#", slashes + 2), clean.size());
    }
  }
  std::string out;
  bool in_fragment = false;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    const bool bracket = (c == '[' || c == ']') && i >= authority_end;
    const bool stray_percent =
        c == '%' && !(i + 2 < clean.size() && web::hex_digit(clean[i + 1]) >= 0 && web::hex_digit(clean[i + 2]) >= 0);
    const bool second_hash = c == '#' && in_fragment;
    const auto byte = static_cast<unsigned char>(c);
    const bool never =
        byte <= 0x20 || byte >= 0x7f || std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos;
    if (c == '#') in_fragment = true;
    if (bracket || stray_percent || second_hash || never) {
      append_encoded(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

bool is_web(urls::scheme scheme) { return scheme == urls::scheme::http || scheme == urls::scheme::https; }

std::string text(std::string_view part) { return std::string(part); }

bool is_port(std::string_view port) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return port.empty() || (error == std::errc() && end == port.data() + port.size() && number <= 65'535);
}

// One spelling for each address, to detect duplicates.
std::optional<std::string> normalised(urls::url url) {
  if (!is_web(url.scheme_id()) || url.encoded_host().empty() || !is_port(url.port())) return std::nullopt;
  // Boost 1.81 reads "http://a:b" as host a and path b.
  if (!url.encoded_path().empty() && !url.encoded_path().starts_with('/')) return std::nullopt;
  url.normalize();
  if (url.encoded_host().find('%') != std::string_view::npos) {
    const auto host = web::ascii_host(text(url.host()));
    if (!host) return std::nullopt;
    url.set_host(*host);
  }
  const bool default_port = (url.scheme_id() == urls::scheme::http && url.port() == "80") ||
                            (url.scheme_id() == urls::scheme::https && url.port() == "443");
  if (url.has_port() && (url.port().empty() || default_port)) url.remove_port();
  // Not Boost's resolve(): version 1.81 keeps ".." above the root and differs in "/".
  std::string path = text(url.encoded_path());
  std::size_t above = 0;
  while (path.compare(above, 4, "/../") == 0) above += 3;
  path.erase(0, above);
  if (path.empty() || path == "/..") path = "/";
  std::string result = text(url.scheme()) + "://" + text(url.encoded_authority()) + path;
  if (url.has_query()) result += "?" + text(url.encoded_query());
  if (url.has_fragment()) result += "#" + text(url.encoded_fragment());
  return result;
}

}  // namespace

UrlResolver::UrlResolver(std::string_view page) {
  const std::string clean = repaired(page);
  if (const auto parsed = web::parse_uri(clean)) {
    set_base(normalised(urls::url(*parsed)).value_or(""));
  }
}

void UrlResolver::rebase(std::string_view href) {
  if (auto base = absolute(href)) set_base(std::move(*base));
}

// Boost 1.81 would lend the base's fragment to references that have none.
void UrlResolver::set_base(std::string url) { base_ = url.substr(0, url.find('#')); }

std::optional<std::string> UrlResolver::absolute(std::string_view reference) const {
  if (reference.size() > max_length) return std::nullopt;
  const std::string clean = repaired(reference);
  if (clean.empty() || clean.front() == '#') return std::nullopt;
  const auto parsed = urls::parse_uri_reference(clean);
  if (!parsed) return std::nullopt;
  if (parsed->has_scheme()) return normalised(urls::url(*parsed));
  const auto base = web::parse_uri(base_);
  if (!base) return std::nullopt;
  urls::url result;
  if (!urls::resolve(*base, *parsed, result)) return std::nullopt;
  return normalised(std::move(result));
}

}  // namespace summarizer
