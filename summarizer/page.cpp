#include "summarizer/page.h"

#include "web/ascii.h"
#include "web/fetch.h"

namespace summarizer {
namespace {

constexpr std::size_t max_page = 10u << 20;
constexpr int max_redirects = 10;

// What stands before the parameters of a Content-Type.
std::string media_type(const std::string& content_type) {
  return std::string(web::trim(std::string_view(content_type).substr(0, content_type.find(';'))));
}

bool is_html(const std::string& content_type) {
  const std::string type = media_type(content_type);
  return type.empty() || web::equal_ignoring_case(type, "text/html") ||
         web::equal_ignoring_case(type, "application/xhtml+xml");
}

bool is_success(int status) { return status >= 200 && status < 300; }

std::string content_type_of(const web::FetchHeaders& headers) {
  for (const auto& [name, value] : headers) {
    if (name == "content-type") return value;
  }
  return {};
}

}  // namespace

web::Task<web::Result<Page>> fetch_page(std::string url, const Options& options) {
  web::FetchRequest request{.url = std::move(url)};
  request.headers = {{"User-Agent", options.user_agent}, {"Accept", "text/html,application/xhtml+xml"}};
  request.reach = options.allow_private ? web::Reach::configured : web::Reach::public_only;
  request.max_redirects = max_redirects;
  request.timeout = std::chrono::seconds(10);
  request.max_bytes = max_page;
  // No byte of a body that will not be read.
  request.on_head = [](int status, const web::FetchHeaders& headers) {
    return is_success(status) && is_html(content_type_of(headers));
  };
  auto response = co_await web::fetch(std::move(request));
  if (!response) co_return web::internal("The page could not be fetched: " + response.error().message);
  if (!is_success(response->status)) {
    co_return web::internal("The page answered with status " + std::to_string(response->status));
  }
  Page page{.url = std::move(response->final_url), .content_type = content_type_of(response->headers)};
  if (!is_html(page.content_type)) {
    co_return web::internal("The page is not HTML but " + media_type(page.content_type));
  }
  page.bytes = std::move(response->body);
  co_return page;
}

}  // namespace summarizer
