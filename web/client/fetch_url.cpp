#include "web/client/fetch_url.h"

#include <curl/curl.h>
#include <idn2.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <memory>
#include <new>
#include <string_view>

#include "web/ascii.h"
#include "web/client/address.h"

namespace web {
namespace {

using Handle = std::shared_ptr<CURLU>;

Handle make_handle() {
  Handle made(curl_url(), curl_url_cleanup);
  if (!made) throw std::bad_alloc();
  return made;
}

// Empty when the part is absent.
std::string part_of(CURLU* url, CURLUPart what, unsigned flags = 0) {
  char* part = nullptr;
  if (curl_url_get(url, what, &part, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(part, curl_free);
  return part;
}

bool is_host(const std::string& name) {
  const auto handle = make_handle();
  const bool has_foreign_byte = name.find('%') != std::string::npos || name.find('\0') != std::string::npos;
  return !name.empty() && !has_foreign_byte && curl_url_set(handle.get(), CURLUPART_HOST, name.c_str(), 0) == CURLUE_OK;
}

}  // namespace

Result<FetchUrl> parse_fetch_url(const std::string& text) {
  if (text.find('\0') != std::string::npos) return invalid("the URL is not valid: it contains a NUL byte");
  auto url = make_handle();
  const auto code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE);
  if (code == CURLUE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code == CURLUE_BAD_SCHEME) return invalid("only http and https URLs can be fetched");
  if (code != CURLUE_OK) return invalid(std::string("the URL is not valid: ") + lower_case(curl_url_strerror(code)));

  FetchUrl result{.scheme = lower_case(part_of(url.get(), CURLUPART_SCHEME))};
  if (result.scheme != "http" && result.scheme != "https") return invalid("only http and https URLs can be fetched");
  for (const auto credential : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS}) {
    char* part = nullptr;
    if (curl_url_get(url.get(), credential, &part, 0) != CURLUE_OK) continue;
    curl_free(part);
    return invalid("URLs with a user name or password are refused");
  }
  // libcurl's own conversion depends on the locale of the process and fails for names it cannot read.
  const auto host = part_of(url.get(), CURLUPART_HOST);
  if (std::ranges::any_of(host, [](unsigned char c) { return c >= 0x80; })) {
    const auto name = ascii_host(host);
    if (!name || curl_url_set(url.get(), CURLUPART_HOST, name->c_str(), 0) != CURLUE_OK)
      return invalid("the URL is not valid: its host has no name that can be looked up");
  }
  result.host = lower_case(part_of(url.get(), CURLUPART_HOST));
  if (result.host.empty()) return invalid("the URL is not valid: it has no host");
  result.port = part_of(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  result.text = part_of(url.get(), CURLUPART_URL);
  result.parsed = std::move(url);
  return result;
}

bool is_private_host(const FetchUrl& url) {
  std::string_view host = url.host;
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code is_name;
  const auto address = boost::asio::ip::make_address(host, is_name);
  return !is_name && !is_public_address(address);
}

Result<std::shared_ptr<const FetchUrl>> UrlCache::parse(const std::string& text) {
  constexpr std::size_t most = 64;
  if (const auto found = cached_.find(text); found != cached_.end()) return found->second;
  auto parsed = parse_fetch_url(text);
  if (!parsed) return std::move(parsed).error();
  if (cached_.size() == most) cached_.clear();  // URLs in use are cached again soon
  auto url = std::make_shared<const FetchUrl>(std::move(*parsed));
  cached_.emplace(text, url);
  return url;
}

std::optional<std::string> ascii_host(const std::string& name) {
  // Checked before and after: libidn2 drops invalid characters, such as white space, instead of refusing them, and maps
  // letters that look like '/' and '%' to these.
  if (!is_host(name)) return std::nullopt;
  char* host = nullptr;
  if (idn2_to_ascii_8z(name.c_str(), &host, IDN2_NONTRANSITIONAL) != IDN2_OK) return std::nullopt;
  const std::unique_ptr<char, decltype(&idn2_free)> owner(host, idn2_free);
  std::string ascii(host);
  if (!is_host(ascii)) return std::nullopt;
  return ascii;
}

}  // namespace web
