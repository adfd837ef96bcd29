#include "summarizer/routes.h"

#include "summarizer/handlers.h"
#include "web/routes/endpoint.h"

namespace summarizer {

namespace {

using web::body;
using web::Endpoint;
using web::plain;
using web::Request;

const web::Guard everyone{
    .name = "none", .scheme = "", .admit = [](const Request&) -> web::Result<web::Caller> { return web::Caller{}; }};

// Declares the errors of fetching and parsing: the page cannot be fetched or parsed, too many requests (of one client
// or in total), and the end of the process meanwhile.
Endpoint reads_page(Endpoint endpoint) {
  using web::Kind;
  endpoint.body = web::schema_of<DescribedTarget>;
  return std::move(endpoint).fails({Kind::internal, Kind::too_many, Kind::unavailable, Kind::bad_gateway});
}

Endpoint summarizes(Endpoint endpoint) {
  endpoint.query_schema = web::schema_of<PageQuery>;
  endpoint.answer = [] {
    auto schema = web::schema_of<ArticleAnswer>();
    // The other fields are only present with ?format.
    schema.at("required") = web::schema_of<SummaryAnswer>().at("required");
    return schema;
  };
  return reads_page(std::move(endpoint));
}

}  // namespace

std::vector<web::Route> web_routes(const Services& services) {
  const auto describe = [services](Request&) { return describe_service(services); };
  const auto summarize = [services](Request& request, Target target) {
    return summarize_page(services, request, std::move(target));
  };
  const auto extract = [services](Request& request, Target target) {
    return extract_page(services, request, std::move(target));
  };
  return {
      {web::GET, "/", everyone, nullptr, plain(describe).returns<About>(), "Description of this service"},
      {web::GET, "/health", everyone, nullptr, plain([](Request&) { return health(); }).returns<Health>(),
       "Status and version"},
      {web::POST, "/api/summarize", everyone, nullptr, summarizes(body<Target>(summarize).returns<ArticleAnswer>()),
       "Title, description, headings, paragraphs and word count of a page; with ?format also its main article, its "
       "most important sentences, author, date, language, site and JSON-LD"},
      {web::POST, "/api/extract", everyone, nullptr, reads_page(body<Target>(extract).returns<ReferencesAnswer>()),
       "Links, images and social-card metadata of a page"},
  };
}

}  // namespace summarizer
