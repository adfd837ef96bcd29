#include "web/server/dispatch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json/serialize.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "web/admission/concurrency_limit.h"
#include "web/admission/cross_origin.h"
#include "web/admission/csrf.h"
#include "web/admission/large_bodies.h"
#include "web/admission/overload.h"
#include "web/admission/rate_limit.h"
#include "web/log.h"
#include "web/protocol/chunk_check.h"
#include "web/protocol/media_type.h"
#include "web/routes/document_title.h"
#include "web/routes/reply.h"
#include "web/server/advice.h"
#include "web/server/request_record.h"
#include "web/server/route_metrics.h"
#include "web/server/router.h"
#include "web/server/security_headers.h"

namespace web {
namespace {

std::string sentence_of(std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something other than an exception was thrown";
  }
}

class InFlight {
 public:
  explicit InFlight(std::atomic<std::size_t>& count)
      : count_(count), before_(count.fetch_add(1, std::memory_order_relaxed)) {}
  ~InFlight() { count_.fetch_sub(1, std::memory_order_relaxed); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  std::size_t before() const { return before_; }

 private:
  std::atomic<std::size_t>& count_;
  const std::size_t before_;
};

void add_rate_limit_headers(Response& response, const WindowState& window) {
  response.set("RateLimit-Limit", std::to_string(window.limit))
      .set("RateLimit-Remaining", std::to_string(window.remaining))
      .set("RateLimit-Reset", std::to_string(window.reset.count()));
}

Response empty_answer() {
  Response response;
  response.status = 204;
  response.content_type.clear();
  return response;
}

// The answer to "OPTIONS *", which is about the server and not one of its paths.
Response options_of_server() { return empty_answer().set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"); }

// The result of counting one request: the window to report, and the limit that refuses it, if any.
struct Counted {
  std::optional<WindowState> window;
  const RateLimit* refused_by = nullptr;
};

constexpr const char* in_flight_gauge = "agentbox_http_requests_in_flight";

}  // namespace

struct Dispatcher::Impl {
  explicit Impl(const ListenerOptions& given)
      : options(given),
        table(given.routes),
        open_guard{.name = "none", .scheme = "", .admit = [](const Request&) -> Result<Caller> { return Caller{}; }},
        security(given.browser),
        large_bodies(given.limits.large_bodies, given.limits.large_bodies_per_client),
        anonymous_large_bodies(given.limits.large_bodies, given.limits.large_bodies_per_client) {
    append(table, {{GET, "/api/openapi.json", open_guard, nullptr, document_endpoint(), "This document"}});
    router.emplace(table);
    if (options.base_rate) base.emplace(*options.base_rate);
    for (const auto& route : table) {
      own_windows.push_back(route.rate ? &windows_of(route) : nullptr);
      const auto time_class = is_cheap(route.method) ? TimeClass::read : TimeClass::write;
      const auto label = shared_label(route.path);
      auto*& shared = by_label[label];
      if (label.empty() || !shared)
        shared = &row_metrics.emplace_back(label.empty() ? to_string(route.method) : "any",
                                           label.empty() ? route.path : label, time_class);
      by_pattern.emplace(route.path.data(), shared);
    }
    by_label.erase(std::string_view());
    for (const auto* label : {"unmatched", "malformed", "proxied", "shed"})
      by_label[label] = &row_metrics.emplace_back("any", label, TimeClass::other);
    tell_metrics();
    metrics().gauge(in_flight_gauge, "Requests being handled.",
                    [this] { return static_cast<double>(in_flight.load()); }, {{"listener", options.name}});
  }
  ~Impl() {
    metrics().forget(this);
    metrics().remove(in_flight_gauge, {{"listener", options.name}});
  }

  RateWindows& windows_of(const Route& route) {
    auto& found = windows.try_emplace(route.rate->group, *route.rate).first->second;
    const auto& limit = found.limit();
    if (limit.limit == 0 || limit.window.count() <= 0 || limit.limit != route.rate->limit ||
        limit.window != route.rate->window)
      throw std::logic_error("route " + route.path +
                             ": its rate limit allows nothing, or differs from another of group " + route.rate->group);
    return found;
  }
  // Rows that have answered nothing are left out: most of hundreds, on a scrape every few seconds.
  void tell_metrics() {
    metrics().counters("agentbox_http_requests_total", "Requests answered.", this, [=, this](const auto& report) {
      for (const auto& row : row_metrics) {
        if (row.is_unused()) continue;
        Labels labels{{"listener", options.name},
                      {"method", std::string(row.method)},
                      {"route", std::string(row.route)},
                      {"status", ""}};
        for (std::size_t at = 0; at < row.by_status.size(); ++at) {
          if (row.by_status[at].value() == 0) continue;
          labels.back().second = std::to_string(at + 1) + "xx";
          report(labels, row.by_status[at]);
        }
      }
    });
    metrics().histograms(
        "agentbox_http_request_duration_seconds", "Time from head to last byte.", this, [this](const auto& report) {
          for (std::size_t at = 0; at < seconds.size(); ++at) {
            if (seconds[at].count() == 0) continue;
            const Labels labels{{"listener", options.name}, {"class", std::string(time_class_names[at])}};
            report(labels, seconds[at]);
          }
        });
  }
  // The metrics of a row, whose pattern `route` views, or of a label without a row.
  RouteMetrics& metrics_of(std::string_view route) const {
    if (const auto row = by_pattern.find(route.data()); row != by_pattern.end()) return *row->second;
    const auto label = by_label.find(route);
    return *(label != by_label.end() ? label->second : by_label.find("unmatched")->second);
  }

  // Made at the first request; the table never changes.
  Endpoint document_endpoint() {
    return {.handle = [this](Request&) -> Task<Result<Response>> {
      std::call_once(documented, [this] {
        document = boost::json::serialize(openapi(options.routes, document_title(options.name), options.version, ""));
      });
      Response response;
      response.body = document;
      co_return response;
    }};
  }

  Task<Response> answer(Request& request, BodyStream* arriving);
  std::optional<Response> refusal_of_client(const Request& request) const;
  Response unmatched(const Request& request, const Router::Match& match) const;
  Counted count(const Request& request, RateWindows* own);
  Response too_many(const Request& request, const Counted& counted) const;
  Task<Result<Response>> call(Request& request, const Route& route, BodyStream* arriving, bool is_admitted);
  std::optional<Error> refusal_by_guard(Request& request, const Route& route) const;
  std::optional<Response> wrong_media_type(const Request& request, const Route& route) const;
  Response page_or(const Request& request, Response refused) const;
  Task<std::optional<Response>> page_of_nothing(Request& request, const Router::Match& match);
  Response complete(const Request& request, Response response) const;
  void put_in_form(const Request& request, const Error& error, Response& response) const;
  Response error_on_path(const Request& request, const Error& error) const;
  Response error_with_status(const Request& request, Error error, int status) const;
  Response refuse(const Request& request, const Error& error) const;
  Error explain(std::exception_ptr failure) const;
  std::string client_key_of(const Request&) const;
  std::optional<Error> refusal(Request& request, const Route& route) const;
  Result<LargeBodies::Place> place_for(const BodyStream& body, const Request& request, const Route& route);

  const ListenerOptions& options;
  std::vector<Route> table;
  const Guard open_guard;
  std::once_flag documented;
  std::string document;
  std::optional<Router> router;
  std::map<std::string, RateWindows> windows;  // by group
  std::vector<RateWindows*> own_windows;       // of each row; null: the row has no limit of its own
  std::optional<RateWindows> base;
  std::deque<RouteMetrics> row_metrics;
  std::array<Histogram, time_class_names.size()> seconds;  // from head to last byte
  std::unordered_map<const char*, RouteMetrics*> by_pattern;
  std::map<std::string_view, RouteMetrics*> by_label;
  const SecurityHeaders security;
  std::atomic<std::size_t> in_flight{0};
  ConcurrencyLimit per_client;
  LargeBodies large_bodies, anonymous_large_bodies;
};

std::string Dispatcher::Impl::client_key_of(const Request& request) const {
  auto named = options.client_key ? options.client_key(request) : std::string();
  return named.empty() ? rate_key(request.client_address) : std::move(named);
}

// Guard and CSRF rule; fills in the caller.
std::optional<Error> Dispatcher::Impl::refusal(Request& request, const Route& route) const {
  auto caller = route.guard.admit(request);
  if (!caller) return caller.error();
  request.caller = std::move(*caller);
  if (options.browser && is_cross_site(request) && !admits(options.cross_origin, request)) {
    const auto token = request.header("X-CSRF-Token");
    if (token.empty() || !options.csrf_valid || !options.csrf_valid(request, token))
      return forbidden("This request comes from another site and carries no valid X-CSRF-Token");
  }
  if (request.has_header("Upgrade") && !origin_is_own(request)) return forbidden("Origin not allowed");
  return {};
}

// The same, with an exception as an error.
std::optional<Error> Dispatcher::Impl::refusal_by_guard(Request& request, const Route& route) const {
  try {
    return refusal(request, route);
  } catch (...) {
    return explain(std::current_exception());
  }
}

std::optional<Response> Dispatcher::Impl::wrong_media_type(const Request& request, const Route& route) const {
  if (!route.endpoint.body || request.body.empty() || is_json_type(request.header("Content-Type"))) return {};
  return error_with_status(request, invalid("Content-Type must be application/json"), 415);
}

Task<Result<Response>> Dispatcher::Impl::call(Request& request, const Route& route, BodyStream* arriving,
                                              bool is_admitted) {
  std::exception_ptr failure;
  try {
    if (!is_admitted)
      if (auto refused = refusal(request, route)) co_return std::move(*refused);
    if (auto wrong = wrong_media_type(request, route)) co_return std::move(*wrong);
    if (!arriving) co_return co_await route.endpoint.handle(request);
    const auto place = place_for(*arriving, request, route);
    if (!place) co_return place.error();
    co_return co_await route.endpoint.handle_stream(request, *arriving);
  } catch (...) {
    failure = std::current_exception();
  }
  co_return explain(failure);
}

Error Dispatcher::Impl::explain(std::exception_ptr failure) const {
  if (options.explain)
    if (auto error = options.explain(failure)) return std::move(*error);
  return internal("Internal error", sentence_of(failure));
}

void Dispatcher::Impl::put_in_form(const Request& request, const Error& error, Response& response) const {
  for (const auto& form : options.error_forms) {
    if (!is_beneath(request.path, form.prefix)) continue;
    response.body = boost::json::serialize(form.body(error));
    if (!form.content_type.empty()) response.content_type = form.content_type;
  }
}

// The error in the form that applies to this path.
Response Dispatcher::Impl::error_on_path(const Request& request, const Error& error) const {
  auto response = error_response(error);
  put_in_form(request, error, response);
  return response;
}

// The same with a status that no kind has. Forms that name it read `status` of the error's extra fields.
Response Dispatcher::Impl::error_with_status(const Request& request, Error error, int status) const {
  auto response = error_response(error);
  response.status = status;
  error.extra["status"] = status;
  put_in_form(request, error, response);
  return response;
}

Response Dispatcher::Impl::refuse(const Request& request, const Error& error) const {
  const bool ours = http_status(error.kind) >= 500 && error.code != overloaded_code;
  if (ours || !error.detail.empty())
    log::write(ours ? log::Level::error : log::Level::info, "request_failed",
               {{"request", request.id},
                {"route", std::string(request.route)},
                {"reason", error.message},
                {"detail", error.detail}});
  return error_on_path(request, error);
}

Response Dispatcher::Impl::complete(const Request& request, Response response) const {
  // A service worker has the policy of its script's response, and fetches what its pages do.
  const bool page = response.content_type.starts_with("text/html") || carries(response, "Service-Worker-Allowed");
  response.constant_headers = security.lines(page, request.secure, carries(response, "Cache-Control"),
                                             carries(response, "Content-Security-Policy"));
  response.headers.emplace_back("X-Request-Id", request.id);
  add_cross_origin(options.cross_origin, request, response);
  return response;
}

// Held while the handler reads the body; empty if it is within the listener's limit.
Result<LargeBodies::Place> Dispatcher::Impl::place_for(const BodyStream& body, const Request& request,
                                                       const Route& route) {
  const auto length = body.length();
  if (length && *length > route.endpoint.stream_bytes) {
    Error too_large{.kind = Kind::too_large, .message = std::string(body_too_large)};
    too_large.extra["limit"] = route.endpoint.stream_bytes;
    return too_large;
  }
  if (length && *length <= options.limits.body_bytes) return LargeBodies::Place();
  // Strangers, whose signature is checked when the body is there, take no place from users.
  auto& bodies = route.guard.scheme.empty() ? anonymous_large_bodies : large_bodies;
  auto place = bodies.enter(rate_key(request.client_address));
  if (!place) return unavailable("Too many large uploads are under way. Try again in a moment.");
  return place;
}

Response Dispatcher::Impl::unmatched(const Request& request, const Router::Match& match) const {
  if (request.path == "*") return options_of_server();
  if (match.kind == Router::Kind::not_found) return error_on_path(request, not_found());
  auto response = match.kind == Router::Kind::options ? empty_answer()
                                                      : error_with_status(request, invalid("Method not allowed"), 405);
  response.set("Allow", std::string(match.allow));
  return response;
}

// Counts the listener's limit, which applies to all paths under /api, and then the row's own.
Counted Dispatcher::Impl::count(const Request& request, RateWindows* own) {
  Counted counted;
  const bool in_base = options.rate_limits && base && request.path.starts_with("/api/");
  if (own && !(own->limit().limits_guesses ? options.login_limits : options.rate_limits)) own = nullptr;
  if (!in_base && !own) return counted;
  const auto client = rate_key(request.client_address);
  auto& window = counted.window;
  const auto hit = [&](RateWindows& windows_of) {
    const auto state = windows_of.hit(client);
    if (!state.allowed && !counted.refused_by) counted.refused_by = &windows_of.limit();
    if (!window || !state.allowed || (window->allowed && state.remaining < window->remaining)) window = state;
  };
  if (in_base) hit(*base);
  if (own && !counted.refused_by) hit(*own);
  return counted;
}

Response Dispatcher::Impl::too_many(const Request& request, const Counted& counted) const {
  auto response = error_on_path(request, {.kind = Kind::too_many, .message = counted.refused_by->message});
  add_rate_limit_headers(response, *counted.window);
  response.set("Retry-After", std::to_string(counted.window->reset.count()));
  return response;
}

// The refusal, or the redirect to the page of this row (RefusalPage).
Response Dispatcher::Impl::page_or(const Request& request, Response refused) const {
  const auto page = std::ranges::find(options.refusal_pages, request.route, &RefusalPage::route);
  return page == options.refusal_pages.end() ? std::move(refused) : redirect(page->location);
}

// What admits_client refuses.
std::optional<Response> Dispatcher::Impl::refusal_of_client(const Request& request) const {
  if (!options.admits_client || options.admits_client(request)) return {};
  log::warning("client_network_refused", {{"listener", options.name},
                                          {"route", std::string(request.route)},
                                          {"client", request.client_address},
                                          {"request", request.id}});
  Error refused = forbidden("Requests from your network are not admitted here");
  refused.code = "NETWORK_REFUSED";
  return error_on_path(request, refused);
}

// For a browser that has come to an address that is none: the front page, which says so.
Task<std::optional<Response>> Dispatcher::Impl::page_of_nothing(Request& request, const Router::Match& match) {
  const bool wants_page = options.browser && match.kind == Router::Kind::not_found && is_cheap(request.method) &&
                          request.header("Accept").find("text/html") != std::string_view::npos &&
                          !is_beneath(request.path, "/api") && !is_beneath(request.path, "/v1");
  if (!wants_page) co_return std::nullopt;
  const auto front = router->match(GET, "/", request.params);
  if (front.kind != Router::Kind::found) co_return std::nullopt;
  auto result = co_await call(request, table[front.row], nullptr, false);
  if (!result || !result->content_type.starts_with("text/html")) co_return std::nullopt;
  result->status = 404;
  std::erase_if(result->headers, [](const auto& header) { return header.first == "ETag"; });
  co_return std::move(*result);
}

Task<Response> Dispatcher::Impl::answer(Request& request, BodyStream* arriving) {
  const auto match = router->match(request.method, request.path, request.params);
  request.route = match.kind == Router::Kind::found ? std::string_view(table[match.row].path) : "unmatched";
  if (auto refused = refusal_of_client(request)) co_return std::move(*refused);
  if (match.kind != Router::Kind::found) {
    const auto counted = count(request, nullptr);
    if (counted.refused_by) co_return too_many(request, counted);
    auto page = co_await page_of_nothing(request, match);
    Response response = page ? std::move(*page) : unmatched(request, match);
    if (counted.window) add_rate_limit_headers(response, *counted.window);
    co_return response;
  }
  const Route& route = table[match.row];
  const RequestRecord record(to_string(request.method), route.path);

  const InFlight here(in_flight);
  // Reads have an eighth of the places for themselves.
  const auto places = options.limits.in_flight - (is_cheap(request.method) ? 0 : options.limits.in_flight / 8);
  if (here.before() >= places && !is_health(request))
    co_return page_or(request, error_on_path(request, overloaded("The box is busy. Try again in a moment.")));
  std::optional<ConcurrencyLimit::Slot> slot;
  if (const auto most = options.limits.in_flight_per_client; most && !is_health(request)) {
    slot.emplace(per_client, client_key_of(request));
    if (slot->before() >= *most) {
      const Error too_many{.kind = Kind::too_many, .message = "Too many concurrent requests. Try again in a moment."};
      auto busy = error_on_path(request, too_many);
      busy.set("Retry-After", "1");
      co_return page_or(request, std::move(busy));
    }
  }

  const bool is_guarded_first = route.guard.scheme == "bearer" && !(route.rate && route.rate->limits_guesses);
  if (is_guarded_first)
    if (const auto refused = refusal_by_guard(request, route))
      co_return with_advice(refuse(request, *refused), route, options);
  const auto counted = count(request, own_windows[match.row]);
  if (counted.refused_by) co_return page_or(request, too_many(request, counted));

  auto result = co_await call(request, route, arriving, is_guarded_first);
  Response response = result ? std::move(*result) : refuse(request, result.error());
  response = with_advice(std::move(response), route, options);
  // A handler's own 429 is about another limit than this window, whose headers would contradict it.
  if (counted.window && response.status != 429) add_rate_limit_headers(response, *counted.window);
  co_return response;
}

Dispatcher::Dispatcher(const ListenerOptions& options) : impl_(std::make_unique<Impl>(options)) {}

Dispatcher::~Dispatcher() = default;

const std::vector<std::string>& Dispatcher::deep_paths() const { return impl_->router->deep_paths(); }

bool Dispatcher::is_admitted(const Request& request) const {
  const auto row =
      std::ranges::find(impl_->table, request.route.data(), [](const Route& one) { return one.path.data(); });
  try {
    return row != impl_->table.end() && row->guard.admit(request).has_value();
  } catch (const std::exception&) {
    return false;
  }
}

BodyRoom Dispatcher::room_for_body(const Request& request) const {
  const auto& limits = impl_->options.limits;
  decltype(request.params) params;
  const auto match = impl_->router->match(request.method, request.path, params);
  const auto most = match.kind == Router::Kind::found ? impl_->table[match.row].endpoint.stream_bytes : 0;
  if (most == 0) return {.bytes = limits.body_bytes, .time = limits.body_time, .is_streamed = false};
  return {.bytes = most, .time = limits.large_body_time, .is_streamed = true};
}

Task<Response> Dispatcher::handle(Request& request, BodyStream* arriving) {
  Response response = co_await impl_->answer(request, arriving);
  co_return impl_->complete(request, std::move(response));
}

Response Dispatcher::complete(const Request& request, Response response) const {
  return impl_->complete(request, std::move(response));
}

Response Dispatcher::refuse(const Request& request, const Error& error) const {
  return impl_->complete(request, impl_->refuse(request, error));
}

Error Dispatcher::explain(std::exception_ptr failure) const { return impl_->explain(std::move(failure)); }

void Dispatcher::finished(const Request& request, std::string_view route, int status, std::size_t body_bytes,
                          std::chrono::steady_clock::duration took, bool is_streamed) {
  const std::chrono::duration<double> seconds = took;
  auto& row = impl_->metrics_of(route);
  if (const auto digit = static_cast<std::size_t>(status / 100); digit >= 1 && digit <= row.by_status.size())
    row.by_status[digit - 1].add();
  impl_->seconds[static_cast<std::size_t>(is_streamed ? TimeClass::stream : row.time_class)].observe(seconds.count());
  if (!log::enabled(log::Level::info)) return;
  log::info("request", {{"listener", impl_->options.name},
                        {"method", std::string(to_string(request.method))},
                        {"route", std::string(route)},
                        {"status", std::int64_t{status}},
                        {"bytes", static_cast<std::int64_t>(body_bytes)},
                        {"ms", seconds.count() * 1000},
                        {"user", request.caller.user_id},
                        {"client", request.client_address},
                        {"request", request.id}});
}

}  // namespace web
