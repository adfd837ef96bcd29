#include "summarizer/routes.h"

#include <optional>

#include "summarizer/charset.h"
#include "summarizer/extract.h"
#include "summarizer/guard.h"
#include "summarizer/page.h"
#include "web/endpoint.h"

namespace summarizer {
namespace {

using web::Request;
using web::Response;
using web::Result;
using web::Task;

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

constexpr const char* service_name = "agentbox-summarizer";
constexpr const char* service_version = "1.0.0";

struct Target {
  std::optional<web::Text<0, 8'192>> url;
};
BOOST_DESCRIBE_STRUCT(Target, (), (url))

struct SummaryAnswer {
  std::string url, title, description;
  std::vector<std::string> headings, paragraphs;
  std::int64_t wordCount = 0;
  Time fetchedAt;
};
BOOST_DESCRIBE_STRUCT(SummaryAnswer, (), (url, title, description, headings, paragraphs, wordCount, fetchedAt))

struct ExtractAnswer {
  std::string url;
  std::vector<Link> links;
  std::vector<Image> images;
  boost::json::object meta;
  Time fetchedAt;
};
BOOST_DESCRIBE_STRUCT(ExtractAnswer, (), (url, links, images, meta, fetchedAt))

struct Health {
  std::string status, service, version;
};
BOOST_DESCRIBE_STRUCT(Health, (), (status, service, version))

struct Payment {
  std::string network, currency;
  std::optional<std::string> payTo;
  std::string note;
};
BOOST_DESCRIBE_STRUCT(Payment, (), (network, currency, payTo, note))

struct About {
  std::string service, description;
  boost::json::object endpoints;
  Payment payment;
};
BOOST_DESCRIBE_STRUCT(About, (), (service, description, endpoints, payment))

About about(const Options& options) {
  About answer{.service = service_name,
               .description =
                   "Fetches a web page and returns what it says: title, description, headings, paragraphs, "
                   "links, images and social-card metadata"};
  answer.endpoints = {{"GET /", "this description"},
                      {"GET /health", "state and version"},
                      {"POST /api/summarize", "{url} -> title, description, headings, paragraphs, word count"},
                      {"POST /api/extract", "{url} -> links, images, metadata"}};
  answer.payment = {.network = "base",
                    .currency = "USDC",
                    .payTo = options.pay_to.empty() ? std::nullopt : std::optional(options.pay_to),
                    .note = "Payment is coming; until then every request is served free of charge"};
  return answer;
}

Time now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

Result<Tree> parse(const Page& page) {
  return Tree::parse(guarded(to_utf8(page.bytes, find_charset(page.bytes, page.content_type))));
}

Result<SummaryAnswer> summary_of(const Page& page) {
  const auto tree = parse(page);
  if (!tree) return tree.error();
  auto summary = summarize(*tree);
  return SummaryAnswer{.title = std::move(summary.title),
                       .description = std::move(summary.description),
                       .headings = std::move(summary.headings),
                       .paragraphs = std::move(summary.paragraphs),
                       .wordCount = summary.word_count};
}

Result<ExtractAnswer> references_of(const Page& page) {
  const auto tree = parse(page);
  if (!tree) return tree.error();
  auto found = extract(*tree, page.url);
  return ExtractAnswer{
      .links = std::move(found.links), .images = std::move(found.images), .meta = std::move(found.meta)};
}

// Fetches the page and answers with what `read` makes of it, under the address as it was asked for.
template <class Answer>
Task<Result<Response>> answer_page(Target target, const Options& options, boost::asio::thread_pool& parsers,
                                   Result<Answer> (*read)(const Page&)) {
  if (!target.url || target.url->empty()) co_return web::invalid("url required");
  const auto fetched_at = now();
  auto page = co_await fetch_page(*target.url, options);
  if (!page) co_return page.error();
  auto work = [page = std::move(*page), read] { return read(page); };
  auto answer = co_await web::offload(parsers, std::move(work));
  if (!answer) co_return answer.error();
  answer->url = *target.url;
  answer->fetchedAt = fetched_at;
  co_return web::reply(*answer);
}

}  // namespace

std::vector<web::Route> routes(const Options& options, boost::asio::thread_pool& parsers) {
  static const web::Guard everyone{
      .name = "none", .scheme = "", .admit = [](const Request&) -> Result<web::Caller> { return web::Caller{}; }};
  using web::body;
  using web::plain;
  return {
      {web::GET, "/", everyone, nullptr,
       plain([&options](Request&) -> Task<Result<Response>> { co_return web::reply(about(options)); }).returns<About>(),
       "What this service is"},
      {web::GET, "/health", everyone, nullptr,
       plain([](Request&) -> Task<Result<Response>> {
         const Health health{.status = "ok", .service = service_name, .version = service_version};
         co_return web::reply(health);
       }).returns<Health>(),
       "State and version"},
      {web::POST, "/api/summarize", everyone, nullptr,
       body<Target>([&options, &parsers](Request&, Target target) -> Task<Result<Response>> {
         return answer_page<SummaryAnswer>(std::move(target), options, parsers, summary_of);
       }).returns<SummaryAnswer>(),
       "Title, description, headings, paragraphs and word count of a page"},
      {web::POST, "/api/extract", everyone, nullptr,
       body<Target>([&options, &parsers](Request&, Target target) -> Task<Result<Response>> {
         return answer_page<ExtractAnswer>(std::move(target), options, parsers, references_of);
       }).returns<ExtractAnswer>(),
       "Links, images and social-card metadata of a page"},
  };
}

}  // namespace summarizer
