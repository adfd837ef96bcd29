#include "summarizer/page.h"

#include "summarizer/page_cache.h"
#include "web/ascii.h"
#include "web/fetch.h"

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

}  // namespace

web::Task<web::Result<Page>> fetch_page(std::string url, const Options& options, PageCache& cache) {
  const auto known = cache.find(url);
  web::FetchRequest request{.url = url};
  request.headers = {{"User-Agent", options.user_agent}, {"Accept", "text/html,application/xhtml+xml"}};
  request.reach = options.allow_private ? web::Reach::configured : web::Reach::public_only;
  request.max_redirects = max_redirects;
  request.timeout = options.page_time;
  request.max_bytes = max_page;
  if (known) ask_for_changes(request, *known);
  // Reads no byte of a body that will not be used.
  request.on_head = [](int status, const web::FetchHeaders& headers) {
    return is_success(status) && is_html(content_type_of(headers));
  };
  auto response = co_await web::fetch(std::move(request));
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
  if (cache.is_on() && may_be_kept(*response)) {
    KnownPage fresh{.page = page, .etag = response->header("etag"), .last_modified = response->header("last-modified")};
    cache.keep(url, std::move(fresh));
  }
  co_return page;
}

}  // namespace summarizer
