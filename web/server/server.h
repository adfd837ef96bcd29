// The HTTP engine: one io_context per core, each with its own SO_REUSEPORT acceptor, so that a connection lives on one
// thread and needs no strand.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "web/admission/cross_origin.h"
#include "web/routes/route.h"

namespace web {

// The io_contexts and their threads, one per core. Built first, destroyed last.
class IoPool {
 public:
  explicit IoPool(unsigned threads);
  ~IoPool();  // stops and joins
  std::size_t size() const;
  boost::asio::io_context& at(std::size_t index);
  boost::asio::io_context& next();  // round robin, for background work; callable from every thread
  void start();
  void stop();  // returns once every thread has ended; never called from one of them
  bool running() const;
  // Of the thread that runs at(index): valid from start() to stop().
  std::thread::native_handle_type thread(std::size_t index) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct Limits {
  std::size_t head_bytes = 16 * 1024;    // 431 beyond
  std::size_t header_fields = 100;       // 431 beyond
  std::size_t body_bytes = 1024 * 1024;  // 413 beyond; proxied bodies are streamed and have no such limit
  // How many larger bodies, of rows that stream them (route.h), may be received at once; further ones get 503.
  std::size_t large_bodies = 4, large_bodies_per_client = 2;
  std::chrono::milliseconds head_time{10'000};         // from the first byte of a request; also the TLS handshake
  std::chrono::milliseconds body_stall_time{15'000};   // without a byte of the body; 408 beyond
  std::chrono::milliseconds body_time{30'000};         // for the whole body, unless it is streamed or proxied
  std::chrono::milliseconds large_body_time{120'000};  // for the whole body of a row that streams it
  std::chrono::milliseconds write_time{30'000};        // without progress
  std::chrono::milliseconds idle_time{60'000};  // keep-alive; tests and benchmarks with many idle connections raise it
  std::chrono::milliseconds heartbeat_time{
      15'000};  // interval of comments in event streams, to detect that the client is gone
  std::chrono::milliseconds proxy_connect_time{5'000};   // 504 beyond
  std::chrono::milliseconds proxy_answer_time{120'000};  // without a byte from the target; 504 beyond
  std::chrono::milliseconds tunnel_check_time{
      5'000};  // between checks whether a proxied WebSocket, an event stream or an endless stream is still admitted
  std::chrono::milliseconds websocket_idle_time{60'000};  // without a frame from the peer; pinged at half of it
  std::size_t connections = 20'000;  // beyond: a clean 503 and close; kept below the descriptor limit
  std::size_t connections_per_address = 20'000;
  std::size_t in_flight = 4'096;                      // requests in progress; beyond: 503 with Retry-After
  std::optional<std::size_t> in_flight_per_client{};  // beyond: 429 with Retry-After
};

struct TlsFiles {
  std::string certificate, key;  // PEM paths
};

// Where requests for a proxied host go: an agent's gateway.
struct ProxyTarget {
  std::string name = "The agent";  // begins the error messages about it
  std::string host;                // address, usually 127.0.0.1
  std::uint16_t port = 0;
  // Added to the request (the gateway's bearer), in place of the client's own header of that name.
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> drop_headers;  // request headers that must not reach the target (Cookie), any case
  std::string request_target;             // path and query to send; empty: as the client sent them
  std::optional<Response> answer;         // sent instead of proxying (sets a cookie and redirects the browser)
};
// Called for every request before routing; nothing means "not a proxied host". An Error is answered as such.
using HostRouter = std::function<std::optional<Result<ProxyTarget>>(const Request&)>;

// A row that browsers navigate to: refusals for load or rate redirect to a page that explains them.
struct RefusalPage {
  std::string route;     // the row's pattern
  std::string location;  // of the page
};

struct ListenerOptions {
  std::string name;    // web, backend, summarizer: label in logs and metrics
  std::string listen;  // host:port; port 0 picks a free one
  // A listening socket to use instead of `listen`. The caller keeps and closes it.
  std::optional<int> inherited_socket;
  std::vector<Route> routes;
  std::optional<RateLimit> base_rate;  // applies to every path under /api on this listener
  std::optional<TlsFiles> tls;
  HostRouter host_router;
  // The listener serves pages for browsers, so the CSRF rule and the CSP apply.
  bool browser = false;
  // Validates an X-CSRF-Token for the request's session cookie.
  std::function<bool(const Request&, std::string_view token)> csrf_valid;
  CrossOrigin cross_origin;
  // The WWW-Authenticate of a 401 at the row with this path; unset or empty: Bearer, at rows for bearers.
  std::function<std::string(std::string_view path)> challenge;
  // Requests for other hosts get 421 (HostList); empty: every host.
  std::vector<std::string> hosts;
  // Clients use https, whatever a proxy in front reports: every request counts as secure.
  bool is_https_outside = false;
  // Asked before anything else, with the row's pattern in Request::route; false: 403. Unset: every client is admitted.
  // Callable from every thread.
  std::function<bool(const Request&)> admits_client;
  std::vector<std::string> trusted_proxies;  // addresses or CIDRs whose X-Forwarded-For and -Proto are trusted
  // The key by which limits.in_flight_per_client counts requests; unset or empty: the client's address.
  std::function<std::string(const Request&)> client_key;
  bool rate_limits = true, login_limits = true;  // see RateLimit::limits_guesses
  std::string version;                           // of the product, for the OpenAPI document
  Limits limits;
  // Maps an exception of a handler to an error (the store's read-only state to 503); nothing: a plain 500.
  std::function<std::optional<Error>(std::exception_ptr)> explain;
  std::vector<ErrorForm> error_forms;
  std::vector<RefusalPage> refusal_pages;
};

class Server {
 public:
  explicit Server(IoPool&);
  // Cuts the open connections and waits (2 s at most) until their handlers have unwound, with the pool running or
  // stopped. Never called from one of the pool's threads.
  ~Server();
  // Binds and validates the table (duplicate rows throw std::logic_error). Throws std::runtime_error with one sentence
  // when the address cannot be bound ("port 3000 is in use: ...") or the TLS files are bad. Serving starts with
  // IoPool::start, or at once if the pool runs already; then only the pool's first thread may call this.
  void listen(ListenerOptions);
  std::string url(std::string_view listener) const;  // "http://127.0.0.1:3000" with the bound port
  void reload_tls();  // on SIGHUP; keeps the old certificate and logs if the new one is invalid
  // Stops accepting, closes idle connections, waits for running requests until `deadline` has passed, then cuts them:
  // one listener after the other in the order of listen(), because requests to an earlier one may need a later one.
  Task<> drain(std::chrono::seconds deadline);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The OpenAPI 3.1 document of a table. Also served at GET /api/openapi.json by each listener.
boost::json::object openapi(const std::vector<Route>&, std::string_view title, std::string_view version,
                            std::string_view server_url);

}  // namespace web
