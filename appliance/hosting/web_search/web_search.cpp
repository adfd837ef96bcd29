#include "appliance/hosting/web_search/web_search.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/billing/usage/period.h"
#include "appliance/foundation/version.h"
#include "appliance/identity/oauth/form.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/fields.h"
#include "web/routes/reply.h"
#include "web/utf8.h"

namespace web_search {

namespace json = boost::json;

namespace {

constexpr std::size_t max_answer_bytes = 2u << 20, max_title_bytes = 300, max_snippet_bytes = 600,
                      max_url_bytes = 2'000;

// How one provider is asked, and where its answer has the results.
struct SearchCall {
  std::string provider;
  web::FetchRequest request;
  std::vector<std::string_view> path;  // of the array of results, from the answer's object
  std::string_view snippet;            // its member with the text
};

web::FetchRequest request_to(std::string url) {
  web::FetchRequest request{.url = std::move(url)};
  request.headers = {{"Accept", "application/json"}, {"User-Agent", std::string("agentbox/") + agentbox::version}};
  request.max_bytes = max_answer_bytes;
  return request;
}

std::optional<SearchCall> call_of(const SearchSettings& settings, const std::string& query, std::size_t limit) {
  const auto count = std::to_string(limit);
  if (!settings.searxng_url.empty())
    return SearchCall{
        .provider = "searxng",
        .request = request_to(oauth::with_query(settings.searxng_url + "/search", {{"q", query}, {"format", "json"}})),
        .path = {"results"},
        .snippet = "content"};
  if (!settings.brave_key.empty()) {
    SearchCall call{.provider = "brave",
                    .request = request_to(
                        oauth::with_query(settings.brave_url + "/res/v1/web/search", {{"q", query}, {"count", count}})),
                    .path = {"web", "results"},
                    .snippet = "description"};
    call.request.headers.emplace_back("X-Subscription-Token", settings.brave_key);
    return call;
  }
  if (settings.tavily_key.empty()) return std::nullopt;
  SearchCall call{.provider = "tavily",
                  .request = request_to(settings.tavily_url + "/search"),
                  .path = {"results"},
                  .snippet = "content"};
  call.request.method = "POST";
  call.request.headers.emplace_back("Authorization", "Bearer " + settings.tavily_key);
  call.request.headers.emplace_back("Content-Type", "application/json");
  json::object body{{"query", query}, {"max_results", limit}};
  call.request.body = json::serialize(body);
  return call;
}

// The text without the tags with which providers mark the words of the query.
std::string plain_text(std::string_view marked, std::size_t max_bytes) {
  std::string text;
  bool is_in_tag = false;
  for (const char c : marked) {
    if (c == '<') is_in_tag = true;
    if (!is_in_tag) text += c;
    if (c == '>') is_in_tag = false;
  }
  return std::string(web::utf8_prefix(text, max_bytes));
}

std::string host_of(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == url.npos) return {};
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (const auto user = url.rfind('@'); user != url.npos) url.remove_prefix(user + 1);
  return web::lower_case(url.substr(0, url.find(':')));
}

bool admits(const agents::Egress& egress, std::string_view host) {
  if (egress.kind == agents::Egress::Kind::web) return true;
  return std::ranges::any_of(egress.hosts, [host](const std::string& allowed) {
    return host == allowed || (allowed.starts_with('.') && host.ends_with(allowed));
  });
}

web::Error limit_reached(store::Time at) {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "An agent may search the web " + std::to_string(max_searches_a_day) + " times a day."};
  error.extra["limit"] = max_searches_a_day;
  error.extra["resetsAt"] = web::iso8601(usage::next_day(at));
  return error;
}

web::Error failed(const std::string& provider, web::Kind kind, std::string_view why) {
  return {.kind = kind, .message = "The search provider '" + provider + "' failed: " + std::string(why)};
}

web::Result<std::vector<SearchHit>> hits_of(const SearchCall& call, const json::value& answer, std::size_t limit,
                                            const agents::Egress& egress) {
  const auto* value = &answer;
  for (const auto name : call.path) {
    const auto* object = value->if_object();
    value = object ? object->if_contains(name) : nullptr;
    if (!value) return failed(call.provider, web::Kind::bad_gateway, "its answer has no " + std::string(name));
  }
  const auto* results = value->if_array();
  if (!results) return failed(call.provider, web::Kind::bad_gateway, "its answer has no list of results");
  std::vector<SearchHit> hits;
  for (const auto& result : *results) {
    if (hits.size() == limit) break;
    const auto* object = result.if_object();
    if (!object) continue;
    auto url = web::string_member(*object, "url");
    const auto host = host_of(url);
    if (host.empty() || url.size() > max_url_bytes || !admits(egress, host)) continue;
    hits.push_back({.title = plain_text(web::string_member(*object, "title"), max_title_bytes),
                    .url = std::move(url),
                    .snippet = plain_text(web::string_member(*object, call.snippet), max_snippet_bytes)});
  }
  return hits;
}

}  // namespace

bool WebSearch::is_configured() const {
  return !settings_.searxng_url.empty() || !settings_.brave_key.empty() || !settings_.tavily_key.empty();
}

web::Task<web::Result<SearchOutcome>> WebSearch::search(store::System system, web::CallOrigin origin, std::string query,
                                                        std::size_t limit, agents::Egress egress) const {
  if (egress.kind == agents::Egress::Kind::none)
    co_return web::forbidden("This agent may not search the web: its config or its plan has egress none");
  auto call = call_of(settings_, query, limit);
  if (!call)
    co_return web::conflict(
        "This box has no web search: its administrator sets SEARCH_URL, BRAVE_API_KEY or TAVILY_API_KEY");
  const auto now = store::now();
  const store::CounterName searches{"web_searches/" + origin.agent + "/" + usage::Period::day(now).name()};
  auto change = system.tenant(origin.user).change();
  change.add(origin.user, searches, 1, max_searches_a_day);
  const auto counted = co_await change.commit();
  if (!counted.ok()) co_return limit_reached(now);
  call->request.timeout = settings_.timeout;
  call->request.origin = std::move(origin);
  auto request = std::move(call->request);
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return failed(call->provider, response.error().kind, response.error().message);
  if (response->status != 200)
    co_return failed(call->provider, web::Kind::bad_gateway,
                     "it answered with status " + std::to_string(response->status));
  const auto answer = web::parse_json(response->body, "its answer");
  if (!answer) co_return failed(call->provider, web::Kind::bad_gateway, answer.error().message);
  auto hits = hits_of(*call, *answer, limit, egress);
  if (!hits) co_return hits.error();
  SearchOutcome outcome{.provider = call->provider, .hits = std::move(*hits)};
  co_return outcome;
}

}  // namespace web_search
