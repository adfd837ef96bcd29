#include "summarizer/page.h"

#include <chrono>

#include "summarizer/page_cache.h"
#include "summarizer/url.h"
#include "web/ascii.h"
#include "web/client/fetch.h"
#include "web/client/fetch_url.h"

namespace summarizer {
namespace {

constexpr std::size_t max_page = 10u << 20;
constexpr int max_redirects = 10;

// The media type of a Content-Type, without parameters.
std::string media_type(const std::string& content_type) {
  return std::string(web::trim(std::string_view(content_type).substr(0, content_type.find(';'))));
}

bool is_html(const std::string& content_type) {
  const std::string type = media_type(content_type);
  return type.empty() || web::equal_ignoring_case(type, "text/html") ||
         web::equal_ignoring_case(type, "application/xhtml+xml");
}

bool is_success(int status) { return status >= 200 && status < 300; }

std::string header(const web::FetchHeaders& headers, std::string_view name) {
  for (const auto& [known, value] : headers) {
    if (known == name) return value;
  }
  return {};
}

std::string content_type_of(const web::FetchHeaders& headers) { return header(headers, "content-type"); }

bool may_be_kept(const web::FetchResponse& response) {
  return response.header("cache-control").find("no-store") == std::string::npos && response.header("vary") != "*" &&
         !(response.header("etag").empty() && response.header("last-modified").empty());
}

void ask_for_changes(web::FetchRequest& request, const KnownPage& known) {
  if (!known.etag.empty()) request.headers.emplace_back("If-None-Match", known.etag);
  if (!known.last_modified.empty()) request.headers.emplace_back("If-Modified-Since", known.last_modified);
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Follows redirects by itself, to hold each address against the list.
web::Task<web::Result<web::FetchResponse>> fetch_within(Egress egress, web::FetchRequest request) {
  request.max_redirects = 0;
  const auto deadline = std::chrono::steady_clock::now() + request.timeout;
  for (int hop = 0;; ++hop) {
    const auto address = web::parse_fetch_url(request.url);
    if (!address) co_return address.error();
    if (!admits(egress, address->host))
      co_return web::forbidden("the agent's config does not list " + address->host + " in egress");
    request.timeout = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (request.timeout.count() <= 0) co_return web::Error{.kind = web::Kind::timeout, .message = "it took too long"};
    auto copy = request;
    auto response = co_await web::fetch(std::move(copy));
    if (!response || !is_redirect(response->status)) co_return response;
    auto next = UrlResolver(request.url).absolute(response->header("location"));
    if (!next) co_return response;
    if (hop == max_redirects) co_return web::Error{.kind = web::Kind::bad_gateway, .message = "too many redirects"};
    request.url = std::move(*next);
  }
}

}  // namespace

web::Task<web::Result<Page>> fetch_page(std::string url, Egress egress, std::string agent, const Options& options,
                                        PageCache& cache) {
  const bool is_restricted = egress.has_value();
  const auto known = is_restricted ? nullptr : cache.find(url);
  web::FetchRequest request{.url = url};
  request.headers = {{"User-Agent", options.user_agent}, {"Accept", "text/html,application/xhtml+xml"}};
  request.reach = options.allow_private ? web::Reach::configured : web::Reach::public_only;
  request.origin = {.part = "summarizer", .agent = std::move(agent)};
  request.max_redirects = max_redirects;
  request.timeout = options.page_time;
  request.max_bytes = max_page;
  if (known) ask_for_changes(request, *known);
  // Reads no byte of a body that will not be used.
  request.on_head = [](int status, const web::FetchHeaders& headers) {
    return is_success(status) && is_html(content_type_of(headers));
  };
  auto fetching = is_restricted ? fetch_within(std::move(egress), std::move(request)) : web::fetch(std::move(request));
  auto response = co_await std::move(fetching);
  if (!response) co_return web::internal("The page could not be fetched: " + response.error().message);
  if (known && response->status == 304) co_return known->page;
  if (!is_success(response->status)) {
    co_return web::internal("The page answered with status " + std::to_string(response->status));
  }
  Page page{.url = std::move(response->final_url), .content_type = content_type_of(response->headers)};
  if (!is_html(page.content_type)) {
    co_return web::internal("The page is not HTML but " + media_type(page.content_type));
  }
  page.bytes = std::move(response->body);
  if (!is_restricted && cache.is_on() && may_be_kept(*response)) {
    KnownPage fresh{.page = page, .etag = response->header("etag"), .last_modified = response->header("last-modified")};
    cache.keep(url, std::move(fresh));
  }
  co_return page;
}

}  // namespace summarizer
