// What watching costs: AGENTS stand-in gateways in one process of their own, watched every INTERVAL_MS for SECONDS;
// then DEATHS of them are gone, one after the other. Prints {"cpu_percent", "checks_per_second", "noticed_ms"}: of one
// core in the watching process, and the longest time from a death until people would be told.
//
// usage: watch AGENTS INTERVAL_MS SECONDS DEATHS
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/runtime/watchdog/probe.h"
#include "appliance/runtime/watchdog/watchdog.h"
#include "tests/support/temporary_folder.h"
#include "web/log.h"

namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, web::Executor>;
using Socket = asio::basic_stream_socket<asio::ip::tcp, web::Executor>;

constexpr std::string_view answer =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"
    "{\"ok\":true,\"ready\":true,\"status\":\"live\"}\n";

// As many gateways as ports.
struct Gateways {
  asio::io_context io{1};
  std::vector<Acceptor> acceptors;

  web::Task<> answer_all(Socket socket) {
    std::string received(1024, '\0');
    boost::system::error_code error;
    for (;;) {
      co_await socket.async_read_some(asio::buffer(received), asio::redirect_error(web::use_task, error));
      if (error) break;
      co_await asio::async_write(socket, asio::buffer(answer), asio::redirect_error(web::use_task, error));
      if (error) break;
    }
  }
  web::Task<> accept_all(int number) {
    for (;;) {
      auto socket = co_await acceptors[std::size_t(number)].async_accept(web::use_task);
      asio::co_spawn(io, answer_all(std::move(socket)), asio::detached);
    }
  }
  // One more gateway dies with each byte.
  web::Task<> obey(int orders) {
    asio::posix::basic_stream_descriptor<web::Executor> pipe(io.get_executor(), orders);
    char order;
    for (auto& acceptor : acceptors) {
      co_await pipe.async_read_some(asio::buffer(&order, 1), web::use_task);
      acceptor.close();
    }
  }
};

std::uint16_t listen(Gateways& gateways) {
  const asio::ip::tcp::endpoint any(asio::ip::address_v4::loopback(), 0);
  gateways.acceptors.emplace_back(gateways.io.get_executor(), any);
  return gateways.acceptors.back().local_endpoint().port();
}

[[noreturn]] void serve(Gateways& gateways, int orders) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  gateways.io.notify_fork(asio::execution_context::fork_child);
  for (int number = 0; number < int(gateways.acceptors.size()); ++number)
    asio::co_spawn(gateways.io, gateways.accept_all(number), asio::detached);
  asio::co_spawn(gateways.io, gateways.obey(orders), asio::detached);
  gateways.io.run();
  std::_Exit(0);
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Bench {
  int agents, deaths;
  std::chrono::milliseconds interval;
  std::chrono::seconds time;
  std::vector<std::uint16_t> ports;
  int orders;

  std::uint64_t checks = 0;
  std::string awaited;
  std::unique_ptr<web::Timer> told;

  watchdog::WatchdogActions hands() {
    watchdog::WatchdogActions made;
    made.check = [this](watchdog::Target target, watchdog::Command command) {
      ++checks;
      return watchdog::probe(target.port, command, std::chrono::seconds(5));
    };
    made.kill = made.start = made.give_up = [](watchdog::Target, std::string) -> web::Task<watchdog::Report> {
      co_return watchdog::Report{};
    };
    made.notify = [this](const watchdog::Target& target, watchdog::Notice, const std::string&) {
      if (target.id == awaited) told->cancel();
    };
    return made;
  }

  web::Task<> measure(watchdog::Watchdog& dog) {
    for (int number = 0; number < agents; ++number)
      dog.begin(
          {.owner = 1, .id = "ag_" + std::to_string(number), .name = "bench", .port = ports[std::size_t(number)]});
    co_await web::sleep_for(2 * interval);  // until they are spread
    const auto began = Clock::now();
    const auto used = cpu_seconds();
    checks = 0;
    co_await web::sleep_for(time);
    const std::chrono::duration<double> span = Clock::now() - began;
    const auto cpu = 100 * (cpu_seconds() - used) / span.count();
    const auto rate = double(checks) / span.count();
    std::chrono::duration<double, std::milli> longest{0};
    for (int death = 0; death < deaths; ++death) {
      awaited = "ag_" + std::to_string(death);
      told = std::make_unique<web::Timer>(co_await asio::this_coro::executor, 4 * interval);
      const auto died = Clock::now();
      if (::write(orders, "x", 1) != 1) throw std::runtime_error("the gateways are gone");
      boost::system::error_code cancelled_when_told;
      co_await told->async_wait(asio::redirect_error(web::use_task, cancelled_when_told));
      longest = std::max<decltype(longest)>(longest, Clock::now() - died);
    }
    const boost::json::object figures{
        {"cpu_percent", cpu}, {"checks_per_second", rate}, {"noticed_ms", longest.count()}};
    std::printf("%s\n", boost::json::serialize(figures).c_str());
    co_await dog.stop();
  }
};

void run(Bench bench, const std::filesystem::path& folder) {
  store::Options options;
  options.folder = folder;
  options.master_key = std::string(32, 'k');
  options.tables = {store::describe(watchdog::watches)};
  const auto store = store::Store::open(std::move(options));
  asio::io_context home{1};
  watchdog::Policy policy;
  policy.check_interval = policy.degraded_check_interval = bench.interval;
  policy.auto_repair = false;
  watchdog::Watchdog dog(store->system(), policy, bench.hands(), home);
  std::exception_ptr failure;
  asio::co_spawn(home, bench.measure(dog), [&](std::exception_ptr thrown) {
    failure = thrown;
    home.stop();
  });
  home.run();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  web::log::set_level(web::log::Level::error);
  int orders[2];
  if (::pipe(orders) != 0) return 1;
  Bench bench{.agents = std::atoi(arguments[1]),
              .deaths = std::atoi(arguments[4]),
              .interval = std::chrono::milliseconds(std::atoi(arguments[2])),
              .time = std::chrono::seconds(std::atoi(arguments[3])),
              .orders = orders[1]};
  {
    Gateways gateways;
    for (int number = 0; number < bench.agents; ++number) bench.ports.push_back(listen(gateways));
    gateways.io.notify_fork(asio::execution_context::fork_prepare);
    const auto child = ::fork();
    if (child == 0) serve(gateways, orders[0]);
    gateways.io.notify_fork(asio::execution_context::fork_parent);
  }
  const test_support::TemporaryFolder folder;
  int result = 0;
  try {
    run(std::move(bench), folder.path());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "watch: %s\n", error.what());
    result = 1;
  }
  return result;
}
