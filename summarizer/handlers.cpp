#include "summarizer/handlers.h"

#include "summarizer/page.h"
#include "summarizer/runaway.h"
#include "web/routes/reply.h"

namespace summarizer {

namespace {

constexpr const char* service_name = "agentbox-summarizer";
// Far above the parsing limit (Budget): only a bug takes so long.
#ifdef AGENTBOX_SANITIZED
constexpr std::chrono::seconds longest_reading{120};
#else
constexpr std::chrono::seconds longest_reading{10};
#endif

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

struct Client {
  Egress egress;
  std::string agent;  // empty: not an agent
};

// Fetches the page and replies with the result of `read`, with the requested address.
template <class Read>
Answer answer_page(Services services, Target target, Client client, Read read) {
  if (!target.url || target.url->empty()) co_return web::invalid("url required");
  const auto fetched_at = now();
  auto page = co_await fetch_page(*target.url, std::move(client.egress), std::move(client.agent), services.options,
                                  services.cache);
  if (!page) co_return page.error();
  auto work = [page = std::move(*page), read] {
    const RunawayGuard guard(longest_reading);
    return read(page);
  };
  auto answer = co_await web::offload(services.parsers, std::move(work));
  if (!answer) co_return answer.error();
  answer->url = *target.url;
  answer->fetchedAt = fetched_at;
  co_return web::reply(*answer);
}

// From the box alone, as clients could name any hosts and agents.
Client client_of(const Services& services, const web::Request& request) {
  if (!services.options.inherited_socket) return {};
  return {.egress = egress_of(request), .agent = std::string(request.header(client_id_header))};
}

}  // namespace

Answer describe_service(const Services& services) { co_return web::reply(about(services.options)); }

Answer health() { co_return web::reply(Health{.status = "ok", .service = service_name, .version = service_version}); }

Answer summarize_page(const Services& services, const web::Request& request, Target target) {
  const auto query = web::parse_query<PageQuery>(request);
  if (!query) co_return query.error();
  auto client = client_of(services, request);
  if (!query->format) co_return co_await answer_page(services, std::move(target), std::move(client), summary_of);
  const auto read = [style = *query->format](const Page& page) { return article_of(page, style); };
  co_return co_await answer_page(services, std::move(target), std::move(client), read);
}

Answer extract_page(const Services& services, const web::Request& request, Target target) {
  return answer_page(services, std::move(target), client_of(services, request), references_of);
}

}  // namespace summarizer
