// Pages through the box's summarizer, which fetches them under its own address filter and limits.
#include <boost/json.hpp>

#include "appliance/hosting/agent_process/tools/toolbox.h"
#include "appliance/models/builtin/extract.h"
#include "web/client/fetch.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr auto page_time = std::chrono::seconds(20);  // the summarizer gives a page 10 s
constexpr std::size_t most_paragraph_bytes = 2'000;

struct Page {
  web::Text<1, 2'000> url;
};
BOOST_DESCRIBE_STRUCT(Page, (), (url))

// A page may crash the summarizer's process, which the box restarts; only this answer is lost. The kind is that of the
// failed exchange: 502 for a broken connection, 504 for a timeout.
web::Error lost_answer(const web::Error& failure) {
  return {.kind = failure.kind, .message = "The summarizer gave no answer for this page: " + failure.message};
}

// One route of the summarizer. The token identifies the agent for the box's limits.
struct SummarizerRoute {
  std::string url, token;

  web::Task<web::Result<json::value>> ask(std::string page) const;
};

web::Task<web::Result<json::value>> SummarizerRoute::ask(std::string page) const {
  web::FetchRequest request{.url = url, .method = "POST"};
  request.headers.emplace_back("Authorization", "Bearer " + token);
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = json::serialize(json::object{{"url", page}});
  request.timeout = page_time;
  request.max_bytes = 2u << 20;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return lost_answer(response.error());
  auto answer = web::parse_json(response->body, "answer");
  if (!answer || !answer->is_object()) {
    co_return web::Error{.kind = web::Kind::bad_gateway,
                         .message = "The summarizer sent an answer that is not a JSON object"};
  }
  if (response->status == 200) co_return std::move(*answer);
  const auto* message = answer->get_object().if_contains("error");
  if (message && message->is_string())
    co_return web::invalid("The page could not be read: " + std::string(message->get_string()));
  co_return web::invalid("The page could not be read (status " + std::to_string(response->status) + ")");
}

void shorten_paragraphs(json::value& page) {
  auto* paragraphs = page.as_object().if_contains("paragraphs");
  if (!paragraphs || !paragraphs->is_array()) return;
  for (auto& paragraph : paragraphs->get_array()) {
    if (paragraph.is_string()) paragraph = models::cut(paragraph.get_string(), most_paragraph_bytes);
  }
}

}  // namespace

std::vector<Tool> page_tools(const std::string& summarizer_url, const std::string& box_token) {
  if (summarizer_url.empty()) return {};
  const SummarizerRoute summarize{summarizer_url + "/api/summarize", box_token},
      extract{summarizer_url + "/api/extract", box_token};
  return {
      tool<Page>("summarize_page", "Fetch a web page and get its title, description, headings and main paragraphs.",
                 [summarize](Page page) -> web::Task<web::Result<json::value>> {
                   auto answer = co_await summarize.ask(std::move(page.url));
                   if (answer) shorten_paragraphs(*answer);
                   co_return answer;
                 }),
      tool<Page>("extract_page", "Fetch a web page and get its links, images and meta tags.",
                 [extract](Page page) -> web::Task<web::Result<json::value>> {
                   co_return co_await extract.ask(std::move(page.url));
                 }),
  };
}

}  // namespace agent_process
