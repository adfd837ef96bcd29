#include "summarizer/routes.h"

#include <optional>

#include "summarizer/answers.h"
#include "summarizer/page.h"
#include "summarizer/runaway.h"
#include "web/endpoint.h"

namespace summarizer {

BOOST_DESCRIBE_ENUM(Style, markdown, text)

namespace {

using web::Request;
using web::Response;
using web::Result;
using web::Task;

constexpr const char* service_name = "agentbox-summarizer";
// Far beyond what parsing is allowed (Budget): only a fault of ours takes so long.
#ifdef AGENTBOX_SANITIZED
constexpr std::chrono::seconds longest_reading{120};
#else
constexpr std::chrono::seconds longest_reading{10};
#endif

struct Target {
  std::optional<web::Text<0, 8'192>> url;
};
BOOST_DESCRIBE_STRUCT(Target, (), (url))

// The same for the OpenAPI document: that it is missing or empty is told in the contract's own words.
struct DescribedTarget {
  web::Text<1, 8'192> url;
};
BOOST_DESCRIBE_STRUCT(DescribedTarget, (), (url))

struct Wish {
  std::optional<Style> format;  // with the main article, so written
};
BOOST_DESCRIBE_STRUCT(Wish, (), (format))

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
                      {"POST /api/summarize",
                       "{url} -> title, description, headings, paragraphs, word count; ?format=markdown or text: also "
                       "the main article"},
                      {"POST /api/extract", "{url} -> links, images, metadata"}};
  answer.payment = {.network = "base",
                    .currency = "USDC",
                    .payTo = options.pay_to.empty() ? std::nullopt : std::optional(options.pay_to),
                    .note = "Payment is coming; until then every request is served free of charge"};
  return answer;
}

Time now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

// What serves every request.
struct Service {
  const Options& options;
  PageCache& cache;
  boost::asio::thread_pool& parsers;
};

// Fetches the page and answers with what `read` makes of it, under the address as it was asked for.
template <class Read>
Task<Result<Response>> answer_page(Target target, Service service, Read read) {
  if (!target.url || target.url->empty()) co_return web::invalid("url required");
  const auto fetched_at = now();
  auto page = co_await fetch_page(*target.url, service.options, service.cache);
  if (!page) co_return page.error();
  auto work = [page = std::move(*page), read] {
    const RunawayGuard guard(longest_reading);
    return read(page);
  };
  auto answer = co_await web::offload(service.parsers, std::move(work));
  if (!answer) co_return answer.error();
  answer->url = *target.url;
  answer->fetchedAt = fetched_at;
  co_return web::reply(*answer);
}

Task<Result<Response>> summarize_page(Request& request, Target target, Service service) {
  const auto wish = web::parse_query<Wish>(request);
  if (!wish) co_return wish.error();
  if (!wish->format) co_return co_await answer_page(std::move(target), service, summary_of);
  const auto read = [style = *wish->format](const Page& page) { return article_of(page, style); };
  co_return co_await answer_page(std::move(target), service, read);
}

// With what goes wrong with pages: it cannot be had or read, too many are under way, of one visitor or of all, and the
// process ended meanwhile.
web::Endpoint reading_a_page(web::Endpoint endpoint) {
  using web::Kind;
  return std::move(endpoint).fails({Kind::internal, Kind::too_many, Kind::unavailable, Kind::bad_gateway});
}

}  // namespace

std::vector<web::Route> routes(const Options& options, PageCache& cache, boost::asio::thread_pool& parsers) {
  const Service service{options, cache, parsers};
  static const web::Guard everyone{
      .name = "none", .scheme = "", .admit = [](const Request&) -> Result<web::Caller> { return web::Caller{}; }};
  using web::body;
  using web::plain;
  auto summarize = body<Target>([service](Request& request, Target target) {
                     return summarize_page(request, std::move(target), service);
                   }).returns<ArticleAnswer>();
  summarize.body = web::schema_of<DescribedTarget>;
  summarize.query_schema = web::schema_of<Wish>;
  summarize.answer = [] {
    auto schema = web::schema_of<ArticleAnswer>();
    // The rest is there with ?format only.
    schema.at("required") = web::schema_of<SummaryAnswer>().at("required");
    return schema;
  };
  auto extract = body<Target>([service](Request&, Target target) -> Task<Result<Response>> {
                   return answer_page(std::move(target), service, references_of);
                 }).returns<ReferencesAnswer>();
  extract.body = web::schema_of<DescribedTarget>;
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
      {web::POST, "/api/summarize", everyone, nullptr, reading_a_page(std::move(summarize)),
       "Title, description, headings, paragraphs and word count of a page; with ?format also its main article, the "
       "sentences that carry most of it, author, date, language, site and JSON-LD"},
      {web::POST, "/api/extract", everyone, nullptr, reading_a_page(std::move(extract)),
       "Links, images and social-card metadata of a page"},
  };
}

}  // namespace summarizer
