#include "summarizer/summarizer.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <csignal>
#include <thread>

#include "summarizer/confine.h"
#include "summarizer/outbound_report.h"
#include "summarizer/routes.h"
#include "web/client/outbound.h"
#include "web/log.h"
#include "web/server/server.h"

// jemalloc's; sanitized programs do not link it.
extern "C" int mallctl(const char*, void*, std::size_t*, void*, std::size_t) __attribute__((weak));

namespace summarizer {
namespace {

constexpr std::chrono::seconds drain_time{10}, trim_period{10};
constexpr std::chrono::milliseconds report_pause{500};
// The limit of pages (10 MB each) in memory.
constexpr std::size_t max_in_flight = 32;
// Half of them, so that one client with slow pages cannot block all others.
constexpr std::size_t max_per_client = 16;
// Each may hold a page, its copy and its tree: the memory limit of confine_process() suffices for so many.
constexpr unsigned max_threads = 4;

web::ListenerOptions listener(const Options& options, PageCache& cache, boost::asio::thread_pool& parsers) {
  web::ListenerOptions listener;
  listener.name = "summarizer";
  listener.listen = options.listen;
  listener.inherited_socket = options.inherited_socket;
  if (options.inherited_socket) {
    listener.trusted_proxies = {"127.0.0.1"};
    listener.client_key = [](const web::Request& request) { return std::string(request.header(client_id_header)); };
  }
  listener.routes = web_routes({options, cache, parsers});
  listener.version = service_version;
  listener.limits.in_flight = max_in_flight;
  listener.limits.in_flight_per_client = max_per_client;
  return listener;
}

// A page leaves free gaps between used memory, which malloc would never return. 4096: all of jemalloc's arenas.
void give_back_free_memory() {
  if (mallctl)
    mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
  else
    malloc_trim(0);
}

web::Task<> give_back_memory(std::chrono::seconds pause) {
  web::Timer timer(co_await boost::asio::this_coro::executor);
  for (;;) {
    timer.expires_after(pause);
    co_await timer.async_wait(web::use_task);
    give_back_free_memory();
  }
}

// The TCP ports that the policy leaves open, with that of name servers; nothing if the kernel cannot tell inside from
// outside by the port: any port is open, pages may come from this machine, or this process has yet to listen.
std::optional<std::vector<std::uint16_t>> open_ports(const Options& options) {
  constexpr std::uint16_t name_servers = 53;
  const auto policy = web::outbound().policy();
  if (!policy.denies || options.allow_private || !options.inherited_socket) return std::nullopt;
  std::vector<std::uint16_t> ports;
  for (const auto& destination : policy.allow) {
    const auto port = destination.substr(destination.rfind(':') + 1);
    if (port == "*") return std::nullopt;
    ports.push_back(static_cast<std::uint16_t>(std::stoi(port)));
  }
  if (!ports.empty()) ports.push_back(name_servers);
  return ports;
}

// If the box does not read, this thread waits; those of the network go on.
void report(int pipe) {
  const auto lines = report_of(web::outbound().take());
  for (std::string_view rest = lines; !rest.empty();) {
    const auto written = ::write(pipe, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the box has ended
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

web::Task<> keep_reporting(int pipe, std::chrono::milliseconds pause) {
  web::Timer timer(co_await boost::asio::this_coro::executor);
  for (;;) {
    timer.expires_after(pause);
    co_await timer.async_wait(web::use_task);
    report(pipe);
  }
}

}  // namespace

void run(const Options& options) {
  confine_process(open_ports(options), !options.inherited_socket);
  const unsigned threads =
      options.threads ? options.threads : std::clamp(std::thread::hardware_concurrency(), 1u, max_threads);

  // Signals: caught from the start, handled once everything runs. SIGXCPU: the processor time limit of
  // confine_process() is reached.
  boost::asio::io_context main_thread;
  boost::asio::signal_set stop(main_thread, SIGTERM, SIGINT, SIGXCPU);
  std::signal(SIGPIPE, SIG_IGN);

  PageCache cache(options.cache_bytes);
  // The parsers outlive the network threads that wait for them.
  boost::asio::thread_pool parsers(threads);
  web::IoPool pool(threads);
  web::Server server(pool);
  server.listen(listener(options, cache, parsers));
  pool.start();
  if (options.on_ready) options.on_ready(server.url("summarizer"));

  stop.async_wait([&main_thread](boost::system::error_code, int) { main_thread.stop(); });
  boost::asio::co_spawn(main_thread, give_back_memory(trim_period), boost::asio::detached);
  if (options.report)
    boost::asio::co_spawn(main_thread, keep_reporting(*options.report, report_pause), boost::asio::detached);
  main_thread.run();
  web::log::info("draining");
  boost::asio::co_spawn(pool.at(0), server.drain(drain_time), boost::asio::use_future).get();
  pool.stop();
  parsers.join();
  if (options.report) report(*options.report);
}

}  // namespace summarizer
