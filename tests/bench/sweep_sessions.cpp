// What sweeping sessions costs: one sweep of what has expired in a data folder, then looks that find nothing. Prints
// {"swept", "sweep_seconds", "look_seconds"}, in seconds of processor time of all threads.
//
// usage: sweep_sessions FOLDER
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <ctime>
#include <exception>

#include "appliance/access/sessions.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/data_folder.h"

namespace {

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

std::size_t sweep(accounts::Sessions& sessions) {
  boost::asio::io_context io{1};
  std::size_t swept = 0;
  boost::asio::co_spawn(io, sessions.sweep(store::now()), [&](std::exception_ptr failure, std::size_t count) {
    if (failure) std::rethrow_exception(failure);
    swept = count;
  });
  io.run();
  return swept;
}

void measure(const char* folder) {
  agentbox::Settings settings;
  settings.data = folder;
  const auto store = agentbox::open_store(settings);
  const agentbox::Events events;
  accounts::Sessions sessions(store->system(), events);
  const double began = processor_seconds();
  const std::size_t swept = sweep(sessions);
  const double done = processor_seconds();
  constexpr int looks = 100;
  for (int look = 0; look < looks; ++look) sweep(sessions);
  std::printf("{\"swept\": %zu, \"sweep_seconds\": %.6f, \"look_seconds\": %.9f}\n", swept, done - began,
              (processor_seconds() - done) / looks);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: sweep_sessions FOLDER\n");
    return 2;
  }
  try {
    measure(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sweep_sessions: %s\n", error.what());
    return 1;
  }
}
