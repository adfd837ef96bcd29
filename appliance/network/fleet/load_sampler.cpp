#include "appliance/network/fleet/load_sampler.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "web/log.h"

namespace fleet {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto fresh_for = 5s;
constexpr auto kept_for = 10min;
constexpr auto first_wait = 400ms, poll = 10ms;
constexpr std::size_t at_once = 8;

double percent(double part, double whole) { return whole > 0 ? std::clamp(100 * part / whole, 0.0, 100.0) : 0; }

struct Sample {
  Load load;
  Clock::time_point at{};  // asked for; not measured yet if it is the epoch
  Clock::time_point measured_at{};
};

bool is_measured(const Sample& sample) { return sample.measured_at != Clock::time_point{}; }

}  // namespace

struct LoadSampler::State : std::enable_shared_from_this<LoadSampler::State> {
  State(runtime::Engine& given, boost::asio::io_context& context) : engine(given), home(context) {}

  // Queues those that are not fresh, and drops those that nobody has asked for in a while.
  void ask_for(const std::vector<Target>& targets) {
    for (auto more = queue(targets); more > 0; --more)
      boost::asio::post(home, [self = shared_from_this()] {
        boost::asio::co_spawn(self->home, measure_waiting(self), boost::asio::detached);
      });
  }

  // Returns how many workers are to be started.
  std::size_t queue(const std::vector<Target>& targets) {
    const auto now = Clock::now();
    const std::scoped_lock lock(mutex);
    if (is_stopping) return 0;
    std::erase_if(samples, [now](const auto& entry) { return now - entry.second.at > kept_for; });
    for (const auto& target : targets) {
      auto& sample = samples[target.agent];
      if (now - sample.at < fresh_for) continue;
      sample.at = now;
      waiting.push_back(target);
    }
    const auto before = std::exchange(workers, std::max(workers, std::min(at_once, waiting.size())));
    return workers - before;
  }

  std::optional<Target> next() {
    const std::scoped_lock lock(mutex);
    if (waiting.empty() || is_stopping) {
      --workers;
      return std::nullopt;
    }
    auto target = std::move(waiting.front());
    waiting.pop_front();
    return target;
  }

  void keep(const std::string& agent, Load load) {
    const std::scoped_lock lock(mutex);
    auto& sample = samples[agent];
    sample.load = load;
    sample.measured_at = Clock::now();
  }

  static web::Task<> measure_waiting(std::shared_ptr<State> self) {
    while (const auto target = self->next()) {
      Load load;
      std::string failure;
      try {
        if (const auto stats = co_await self->engine.stats(target->agent))
          load = {.cpu = percent(stats->cpu_percent, 100 * target->resources.cores),
                  .memory = percent(static_cast<double>(stats->memory_bytes),
                                    static_cast<double>(target->resources.memory_bytes))};
      } catch (const std::exception& error) {
        failure = error.what();
      }
      if (!failure.empty()) web::log::warning("load_not_measured", {{"agent", target->agent}, {"reason", failure}});
      self->keep(target->agent, load);
    }
  }

  bool has_all(const std::vector<Target>& targets) const {
    const std::scoped_lock lock(mutex);
    return std::ranges::all_of(targets, [this](const Target& target) {
      const auto found = samples.find(target.agent);
      return found != samples.end() && is_measured(found->second);
    });
  }

  std::vector<Load> read(const std::vector<Target>& targets) const {
    std::vector<Load> loads(targets.size());
    const std::scoped_lock lock(mutex);
    for (std::size_t at = 0; at < targets.size(); ++at)
      if (const auto found = samples.find(targets[at].agent); found != samples.end()) loads[at] = found->second.load;
    return loads;
  }

  bool is_idle() const {
    const std::scoped_lock lock(mutex);
    return workers == 0;
  }

  runtime::Engine& engine;
  boost::asio::io_context& home;

  mutable std::mutex mutex;  // protects what follows
  std::unordered_map<std::string, Sample> samples;
  std::deque<Target> waiting;
  std::size_t workers = 0;
  bool is_stopping = false;
};

LoadSampler::LoadSampler(runtime::Engine& engine, boost::asio::io_context& home)
    : state_(std::make_shared<State>(engine, home)) {}

LoadSampler::~LoadSampler() = default;

web::Task<std::vector<Load>> LoadSampler::loads(std::vector<Target> targets) {
  const auto state = state_;
  state->ask_for(targets);
  for (const auto end = Clock::now() + first_wait; !state->has_all(targets) && Clock::now() < end;)
    co_await web::sleep_for(poll);
  co_return state->read(targets);
}

web::Task<> LoadSampler::stop() {
  const auto state = state_;
  {
    const std::scoped_lock lock(state->mutex);
    state->is_stopping = true;
  }
  while (!state->is_idle()) co_await web::sleep_for(poll);
}

}  // namespace fleet
