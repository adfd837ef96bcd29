// summarize and extract: pages through the box's summarizer, which fetches them under its own address filter and
// limits.
#include "appliance/payments/gateway/plugins.h"
#include "web/client/fetch.h"
#include "web/client/fetch_url.h"
#include "web/routes/fields.h"

namespace gateway {

namespace json = boost::json;

namespace {

constexpr std::chrono::seconds page_time{20};  // the summarizer gives a page 10 s
constexpr std::size_t answer_bytes = 4u << 20;

BOOST_DEFINE_ENUM_CLASS(Format, markdown, text)

struct PageInput {
  web::Text<1, 2'000> url;
  std::optional<Format> format;
};
BOOST_DESCRIBE_STRUCT(PageInput, (), (url, format))

web::Task<web::Result<json::value>> ask(std::string route, std::string page) {
  web::FetchRequest request{
      .url = std::move(route), .method = "POST", .body = json::serialize(json::object{{"url", page}})};
  request.headers.emplace_back("Content-Type", "application/json");
  request.reach = web::Reach::own;
  request.timeout = page_time;
  request.max_bytes = answer_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response)
    co_return web::Error{.kind = response.error().kind,
                         .message = "The summarizer gave no answer for this page.",
                         .detail = response.error().message};
  auto answer = web::parse_json(response->body, "The answer");
  if (!answer || !answer->is_object())
    co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The summarizer sent no JSON object."};
  if (response->status == 200) co_return std::move(*answer);
  const auto* message = answer->get_object().if_contains("error");
  const std::string reason = message != nullptr && message->is_string() ? std::string(message->get_string())
                                                                        : "status " + std::to_string(response->status);
  const bool is_busy = response->status == 429 || response->status == 503;
  co_return web::Error{.kind = is_busy ? web::Kind::unavailable : web::Kind::bad_gateway,
                       .message = "The page could not be read: " + reason + "."};
}

}  // namespace

web::Result<Sale> Plugins::prepare_page(Plugin plugin, const json::object& input) const {
  auto page = web::parse_value<PageInput>(json::value(input), "input");
  if (!page) return page.error();
  if (const auto url = web::parse_fetch_url(page->url); !url)
    return web::invalid("input.url must be an http or https address: " + url.error().message);
  const bool is_summary = plugin == Plugin::summarize;
  if (page->format && !is_summary) return web::invalid("input.format is for the plugin summarize only");
  std::string path = is_summary ? "/api/summarize" : "/api/extract";
  if (page->format) path += std::string("?format=") + boost::describe::enum_to_string(*page->format, "");
  auto deliver = [base = summarizer_url_, path, url = std::string(page->url)] { return ask(base() + path, url); };
  return Sale{.plugin = {},
              .action = {},
              .description = is_summary ? "The summary of a web page" : "The links, images and data of a web page",
              .price = is_summary ? prices_.summarize : prices_.extract,
              .url = {},
              .digest = {},
              .deliver = std::move(deliver)};
}

}  // namespace gateway
