#include "appliance/hosting/web_browser/browsers.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/url.hpp>
#include <map>
#include <set>
#include <system_error>

#include "appliance/hosting/commands/command_text.h"
#include "appliance/hosting/commands/commands.h"
#include "appliance/hosting/web_browser/program.h"
#include "web/log.h"
#include "web/run_on.h"
#include "web/uri.h"

namespace browser {

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using web::Result;
using web::Task;
using Clock = std::chrono::steady_clock;
using Stream = asio::posix::basic_stream_descriptor<web::Executor>;
using sandbox::CommandPlace;

constexpr std::chrono::milliseconds between_rounds{500};
constexpr std::chrono::seconds watched_time{10}, taken_time{120};
// A browser needs more than a command, whatever the plan: each of its processes maps much that it shares.
constexpr std::uint64_t least_memory = 2ull << 30, max_profile_bytes = 512ull << 20;
constexpr unsigned browser_processes = 500;  // and threads
constexpr std::size_t rounds_between_counts = 20;

constexpr auto flags =
    " --headless=new --remote-debugging-pipe --no-sandbox --no-zygote --user-data-dir=/workspace/profile"
    " --proxy-server=http://127.0.0.1:3128 '--proxy-bypass-list=<-loopback>'"
    " --force-webrtc-ip-handling-policy=disable_non_proxied_udp --disable-quic"
    " --disable-gpu --in-process-gpu --disable-dev-shm-usage --window-size=1280,800 --mute-audio"
    " --no-first-run --no-default-browser-check --disable-default-apps --disable-extensions --disable-sync"
    " --disable-background-networking --disable-component-update --disable-breakpad --disable-crash-reporter"
    " --disable-features=Translate,MediaRouter,OptimizationHints --password-store=basic --deny-permission-prompts"
    " --disk-cache-size=52428800";

// The shell stays the first process of its namespace, which takes the browser along. The browser's pipes are those of
// the shell.
std::string text_of(const fs::path& program) {
  return "exec 5<&0 6>&1 </dev/null >/dev/null 2>&1\n"
         "rm -rf /workspace/downloads /workspace/profile/Singleton*\n"
         "mkdir -p /workspace/downloads /workspace/profile\n" +
         commands::shell_word(program.string()) + flags +
         " 3<&5 4>&6 5<&- 6>&- &\n"
         "child=$!\n"
         "exec 5<&- 6>&-\n"
         "wait \"$child\"\n";
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t sum = 0;
  std::error_code failed;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(folder, options, failed); !failed && entry != end(entry);
       entry.increment(failed)) {
    struct stat about {};
    if (::lstat(entry->path().c_str(), &about) == 0 && S_ISREG(about.st_mode)) sum += std::uint64_t(about.st_size);
  }
  return sum;
}

}  // namespace

Result<std::string> host_of(const std::string& url) {
  const auto parsed = web::parse_uri(url);
  if (!parsed || (parsed->scheme() != "http" && parsed->scheme() != "https") || parsed->host().empty())
    return web::invalid("url must be a complete address with http:// or https://");
  return std::string(parsed->host());
}

struct Browsers::State : std::enable_shared_from_this<State> {
  struct Running {
    Running(asio::io_context& home, runtime::RunningCommand command, runtime::CommandSpec given)
        : process(std::move(command)), spec(std::move(given)), ended(home.get_executor(), process.process.get()) {}
    ~Running() { ended.release(); }  // the descriptor is `process`'s

    runtime::RunningCommand process;
    const runtime::CommandSpec spec;
    Stream ended;
    std::shared_ptr<void> network;
    std::shared_ptr<Session> session;
    bool is_busy = false, is_taken = false, takes_pictures = false, has_ended = false;
    std::string ended_because;
    Clock::time_point used = Clock::now(), watched{}, taken_at{};
  };
  using RunningPtr = std::shared_ptr<Running>;
  // Marks the browser as in use by one call.
  class InUse {
   public:
    explicit InUse(RunningPtr running) : running_(std::move(running)) { running_->is_busy = true; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    ~InUse() {
      running_->is_busy = false;
      running_->used = Clock::now();
    }

   private:
    const RunningPtr running_;
  };

  State(const runtime::CommandLauncher& given_launcher, asio::io_context& context, asio::thread_pool& pool,
        Options given)
      : launcher(given_launcher),
        home(context),
        blocking(pool),
        options(std::move(given)),
        idle(context.get_executor()) {}

  const runtime::CommandLauncher& launcher;
  asio::io_context& home;
  asio::thread_pool& blocking;
  const Options options;
  std::optional<asio::thread_pool> starter;  // a browser ends with the thread that started it
  // Used on `home` only.
  std::map<std::string, RunningPtr> browsers;  // by agent
  std::map<std::string, std::uint64_t> numbers;
  std::set<std::string> being_started;
  std::size_t coroutines = 0, rounds = 0;
  bool is_watching = false, is_stopping = false;
  web::Timer idle;

  template <class Work>
  void spawn(Work work) {
    ++coroutines;
    asio::co_spawn(home, std::move(work), [self = shared_from_this()](std::exception_ptr failure) {
      --self->coroutines;
      if (failure) web::log::warning("browser_not_followed", {});
    });
  }

  RunningPtr find(const std::string& agent) const {
    const auto found = browsers.find(agent);
    return found == browsers.end() ? nullptr : found->second;
  }
  void changed(const std::string& agent) { ++numbers[agent]; }

  Task<Result<RunningPtr>> obtain(runtime::CommandSpec spec) {
    if (auto running = find(spec.agent)) {
      if (running->session) co_return running;
      co_return web::conflict("The browser is just being started: try again.");
    }
    if (is_stopping) co_return web::unavailable("The box is shutting down.");
    if (being_started.contains(spec.agent)) co_return web::conflict("The browser is just being started: try again.");
    if (browsers.size() + being_started.size() >= max_browsers)
      co_return web::Error{.kind = web::Kind::too_many, .message = "Too many browsers are running: try again later."};
    if (!starter) starter.emplace(1);
    spec.place = CommandPlace::browser;
    spec.text = text_of(find_program(launcher.tools(), options.program));
    spec.limits.memory_bytes = std::max(spec.limits.memory_bytes, least_memory);
    spec.limits.file_bytes = max_profile_bytes;
    spec.limits.processes = browser_processes;
    being_started.insert(spec.agent);
    std::optional<runtime::RunningCommand> started;
    std::string failure;
    const auto launch = [this, &spec, &started, &failure] {
      try {
        launcher.give_folder(spec.workspace, spec.port);
        started = launcher.start(spec);
      } catch (const std::system_error& error) {
        failure = error.what();
      }
    };
    co_await web::offload(*starter, launch);
    being_started.erase(spec.agent);
    if (!started) co_return web::unavailable("The browser could not " + failure + ".");
    const auto agent = spec.agent;
    auto running = std::make_shared<Running>(home, std::move(*started), std::move(spec));
    browsers[agent] = running;
    if (options.serve)
      running->network = options.serve(
          {.agent = agent, .command = "browser", .listening = std::exchange(running->process.listening, {})});
    auto session =
        std::make_shared<Session>(home, std::move(running->process.input), std::move(running->process.output), blocking,
                                  [this, agent] { changed(agent); });
    spawn(follow(session));
    spawn(follow_end(running));
    if (!is_watching) spawn(watch_all());
    const auto begun = co_await session->begin();
    if (!begun) {
      kill(*running, begun.error().message);
      co_return web::unavailable("The browser could not be started: " + begun.error().message);
    }
    running->session = std::move(session);
    changed(agent);
    co_return running;
  }

  static Task<> follow(std::shared_ptr<Session> session) { co_await session->run(); }

  void kill(Running& running, std::string because) {
    if (running.has_ended) return;
    if (running.ended_because.empty()) running.ended_because = std::move(because);
    launcher.signal(running.process, SIGKILL);
  }

  Task<> follow_end(RunningPtr running) {
    boost::system::error_code failed;
    co_await running->ended.async_wait(Stream::wait_read, asio::redirect_error(web::use_task, failed));
    const auto collect = [this, &running] {
      return launcher.collect(running->process, running->spec.agent, CommandPlace::browser);
    };
    co_await web::offload(*starter, collect);
    running->has_ended = true;
    running->network.reset();
    if (running->session) running->session->close();
    const auto& agent = running->spec.agent;
    if (find(agent) == running) browsers.erase(agent);
    changed(agent);
    web::log::info("browser_ended", {{"agent", agent}, {"reason", running->ended_because}});
  }

  // While there are browsers: their time, their memory, their files.
  Task<> watch_all() {
    is_watching = true;
    while (!browsers.empty()) {
      co_await web::sleep_for(between_rounds);
      std::vector<pid_t> roots;
      for (const auto& [agent, running] : browsers) roots.push_back(running->process.pid);
      std::map<fs::path, std::uint64_t> files;
      if (++rounds % rounds_between_counts == 0)
        for (const auto& [agent, running] : browsers) files[running->spec.workspace] = 0;
      const auto measure = [&roots, &files] {
        for (auto& [folder, bytes] : files) bytes = bytes_below(folder);
        return runtime::resident_bytes_below(roots);
      };
      const auto memory = co_await web::offload(*starter, measure);
      const auto now = Clock::now();
      for (const auto& [agent, running] : browsers) {
        const auto needed = memory.find(running->process.pid);
        const auto stored = files.find(running->spec.workspace);
        if (running->is_taken && now - std::max(running->watched, running->taken_at) > taken_time) {
          running->is_taken = false;
          changed(agent);
        }
        const bool is_starting = !running->session;
        if (is_starting || running->is_busy || running->is_taken) running->used = now;
        if (running->takes_pictures && now - running->watched > watched_time && running->session) {
          running->takes_pictures = false;
          running->session->stop_pictures();
        }
        // What processes share is counted for each of them: a browser has about four that share its program.
        if (needed != memory.end() && needed->second > 2 * running->spec.limits.memory_bytes)
          kill(*running, "It needed too much memory.");
        else if (stored != files.end() && stored->second > max_profile_bytes)
          kill(*running, "Its files took too much room.");
        else if (now - running->used > options.idle_time)
          kill(*running, "It was not used.");
        else if (options.is_disk_full && options.is_disk_full())
          kill(*running, "The disk is full.");
        else if (options.may_run && !options.may_run(agent))
          kill(*running, "The agent was stopped.");
      }
    }
    is_watching = false;
  }

  static web::Error busy(const Running& running) {
    return web::conflict(running.is_taken ? "Your owner is using the browser: wait until it is given back."
                                          : "The browser is busy with another call.");
  }

  Task<Result<Prospect>> look_up(std::string agent, Order order) {
    Prospect found{.order = std::move(order), .url = {}, .host = {}, .elements = {}};
    const auto& wanted = found.order;
    const auto running = find(agent);
    if (running && (running->is_taken || running->is_busy)) co_return busy(*running);
    const bool opens = wanted.action == Action::open || (wanted.action == Action::download && wanted.ref.empty());
    if (opens) {
      auto host = host_of(wanted.url);
      if (!host) co_return host.error();
      found.url = wanted.url;
      found.host = std::move(*host);
      co_return found;
    }
    if (!running || !running->session) co_return web::conflict("No page is open: use browser_open first.");
    found.url = running->session->url();
    const auto host = host_of(found.url);
    found.host = host ? *host : "the empty page";
    std::vector<std::string> refs;
    if (wanted.action == Action::click || wanted.action == Action::download) refs.push_back(wanted.ref);
    for (const auto& field : wanted.fields) refs.push_back(field.ref);
    for (const auto& ref : refs) {
      const auto* element = running->session->page_text().find(ref);
      if (!element)
        co_return web::invalid("The page has no " + ref + ": references are those of the text that was read last.");
      found.is_outward = found.is_outward || is_outward(*element);
      found.elements.push_back(*element);
    }
    if (wanted.action == Action::type) found.is_outward = true;
    if (wanted.action == Action::download) found.is_outward = false;
    co_return found;
  }

  static bool is_there(const Session& session, const Element& wanted) {
    const auto* element = session.page_text().find(wanted.ref);
    return element && element->node == wanted.node && element->role == wanted.role && element->name == wanted.name;
  }

  Task<Result<Outcome>> act(runtime::CommandSpec spec, Prospect prospect) {
    auto running = co_await obtain(std::move(spec));
    if (!running) co_return running.error();
    if ((*running)->is_busy || (*running)->is_taken) co_return busy(**running);
    const InUse in_use(*running);
    const auto session = (*running)->session;
    // A page must not change under what the gate was asked about: the same numbers may be others' elsewhere.
    if (!std::ranges::all_of(prospect.elements, [&](const Element& wanted) { return is_there(*session, wanted); }))
      co_return web::conflict("The page has changed meanwhile: read it again.");
    auto outcome = co_await carry_out(session, std::move(prospect));
    if (!outcome && !session->problem().empty()) co_return web::bad_gateway(session->problem());
    co_return outcome;
  }

  static Task<Result<Outcome>> carry_out(std::shared_ptr<Session> session, Prospect prospect) {
    Outcome outcome;
    auto& order = prospect.order;
    Result<Page> page = Page();
    if (order.action == Action::screenshot) {
      auto picture = co_await session->screenshot();
      if (!picture) co_return picture.error();
      outcome.screenshot = std::move(*picture);
      outcome.page = {.url = session->url(), .title = session->title(), .text = {}, .notes = {}};
      co_return outcome;
    }
    if (order.action == Action::download) {
      std::optional<Element> element;
      if (!prospect.elements.empty()) element = prospect.elements.front();
      auto file = co_await session->download(std::move(element), order.url);
      if (!file) co_return file.error();
      outcome.download = std::move(*file);
      co_return outcome;
    }
    if (order.action == Action::open) page = co_await session->open(order.url);
    if (order.action == Action::read) page = co_await session->read();
    if (order.action == Action::click) {
      auto element = prospect.elements.front();
      page = co_await session->click(std::move(element));
    }
    if (order.action == Action::type) {
      std::vector<Entry> entries;
      for (std::size_t at = 0; at < order.fields.size(); ++at)
        entries.push_back({.element = prospect.elements[at], .text = order.fields[at].text});
      page = co_await session->type(std::move(entries), order.submits);
    }
    if (!page) co_return page.error();
    outcome.page = std::move(*page);
    co_return outcome;
  }

  Task<Result<Outcome>> act_later(runtime::CommandSpec spec, Prospect prospect) {
    auto running = co_await obtain(std::move(spec));
    if (!running) co_return running.error();
    if ((*running)->is_busy || (*running)->is_taken) co_return busy(**running);
    const InUse in_use(*running);
    const auto session = (*running)->session;
    const auto is_same = [&session](const Element& wanted) { return is_there(*session, wanted); };
    const bool is_open = session->url() == prospect.url && std::ranges::all_of(prospect.elements, is_same);
    if (!is_open) {
      const auto page = co_await session->open(prospect.url);
      if (!page) co_return page.error();
      for (auto& wanted : prospect.elements) {
        const auto* element = session->page_text().find(wanted.role, wanted.name);
        if (!element)
          co_return web::conflict("The page has changed: it has no " + wanted.role + " \"" + wanted.name +
                                  "\" any more, or several.");
        wanted = *element;
      }
    }
    co_return co_await carry_out(session, std::move(prospect));
  }

  Task<View> watch(std::string agent, std::uint64_t after, std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    for (;;) {
      const auto running = find(agent);
      if (running) running->watched = Clock::now();
      if (running && running->session && !running->takes_pictures) {
        running->takes_pictures = true;
        running->session->start_pictures();
      }
      const auto number = numbers[agent] + 1;
      if (number != after || Clock::now() >= deadline) {
        View view{.number = number, .url = {}, .title = {}, .picture = {}};
        if (!running || !running->session) co_return view;
        view.is_running = true;
        view.is_taken = running->is_taken;
        view.url = running->session->url();
        view.title = running->session->title();
        view.picture = running->session->picture();
        co_return view;
      }
      co_await web::sleep_for(std::chrono::milliseconds(60));
    }
  }

  Task<Result<void>> take(std::string agent, bool is_taken) {
    const auto running = find(agent);
    if (!running || !running->session) co_return web::conflict("The agent's browser does not run.");
    running->is_taken = is_taken;
    running->taken_at = running->used = Clock::now();
    changed(agent);
    co_return Result<void>();
  }

  Task<Result<void>> use(std::string agent, Input input) {
    const auto running = find(agent);
    if (!running || !running->session || !running->is_taken) co_return web::conflict("Take the browser over first.");
    running->taken_at = Clock::now();
    running->session->use(input);
    co_return Result<void>();
  }

  Task<Result<void>> go(std::string agent, std::string url) {
    const auto running = find(agent);
    if (!running || !running->session || !running->is_taken) co_return web::conflict("Take the browser over first.");
    running->taken_at = Clock::now();
    const auto page = co_await running->session->open(std::move(url));
    if (!page) co_return page.error();
    co_return Result<void>();
  }

  Task<> end(std::string agent) {
    if (const auto running = find(agent)) kill(*running, "It was ended.");
    co_return;
  }

  Task<> stop_all() {
    is_stopping = true;
    for (const auto& [agent, running] : browsers) kill(*running, "The box was stopped.");
    while (coroutines > 0 || !being_started.empty()) {
      boost::system::error_code woken;
      idle.expires_after(std::chrono::milliseconds(50));
      co_await idle.async_wait(asio::redirect_error(web::use_task, woken));
    }
  }
};

Browsers::Browsers(const runtime::CommandLauncher& launcher, asio::io_context& home, asio::thread_pool& blocking,
                   Options options)
    : state_(std::make_shared<State>(launcher, home, blocking, std::move(options))) {}

Browsers::~Browsers() = default;

Task<Result<Prospect>> Browsers::look_up(std::string agent, Order order) {
  co_return co_await web::run_on(state_->home, state_->look_up(std::move(agent), std::move(order)));
}

Task<Result<Outcome>> Browsers::act(runtime::CommandSpec spec, Prospect prospect) {
  co_return co_await web::run_on(state_->home, state_->act(std::move(spec), std::move(prospect)));
}

Task<Result<Outcome>> Browsers::act_later(runtime::CommandSpec spec, Prospect prospect) {
  co_return co_await web::run_on(state_->home, state_->act_later(std::move(spec), std::move(prospect)));
}

Task<View> Browsers::watch(std::string agent, std::uint64_t after, std::chrono::milliseconds patience) {
  co_return co_await web::run_on(state_->home, state_->watch(std::move(agent), after, patience));
}

Task<Result<void>> Browsers::take(std::string agent, bool is_taken) {
  co_return co_await web::run_on(state_->home, state_->take(std::move(agent), is_taken));
}

Task<Result<void>> Browsers::use(std::string agent, Input input) {
  co_return co_await web::run_on(state_->home, state_->use(std::move(agent), std::move(input)));
}

Task<Result<void>> Browsers::go(std::string agent, std::string url) {
  co_return co_await web::run_on(state_->home, state_->go(std::move(agent), std::move(url)));
}

Task<> Browsers::end(std::string agent) { co_await web::run_on(state_->home, state_->end(std::move(agent))); }

Task<> Browsers::stop_all() { return state_->stop_all(); }

}  // namespace browser
