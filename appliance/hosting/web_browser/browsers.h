// The browsers of agents: at most one for each, started when it is needed, confined as a command is, and ended when it
// has not been used for a while.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/web_browser/session.h"
#include "appliance/runtime/commands.h"
#include "web/result.h"
#include "web/task.h"

namespace commands {
struct Network;
}

namespace browser {

inline constexpr std::size_t max_browsers = 8;  // of the box

BOOST_DEFINE_ENUM_CLASS(Action, open, read, click, type, screenshot, download)

// What an agent wants of its browser.
struct Order {
  Action action = Action::read;
  std::string url;  // open, and download without a reference
  std::string ref;  // click, download
  struct Field {
    std::string ref, text;
  };
  std::vector<Field> fields{};  // type
  bool submits = false;
};

// An order, as it would be carried out on the page that is open now.
struct Prospect {
  Order order;
  std::string url, host;  // of the page that it acts on
  std::vector<Element> elements;
  bool is_outward = false;
};

struct Outcome {
  Page page;
  std::string screenshot;  // base64
  std::optional<Download> download;
};

// What the owner sees.
struct View {
  std::uint64_t number = 0;  // grows with each change
  bool is_running = false, is_taken = false;
  std::string url, title;
  Picture picture;
};

// Thread-safe.
class Browsers {
 public:
  struct Options {
    std::string program = "auto";                                   // see find_program
    std::function<std::shared_ptr<void>(commands::Network)> serve;  // the proxy; as for commands
    std::function<bool(const std::string&)> may_run;                // whether the agent is still to run
    std::function<bool()> is_disk_full;
    std::chrono::seconds idle_time{300};
  };
  // All of them must outlive it.
  Browsers(const runtime::CommandLauncher&, boost::asio::io_context& home, boost::asio::thread_pool& blocking, Options);
  ~Browsers();  // after stop(), or with `home` stopped

  // invalid: a wrong order, a reference that the page does not have; conflict: its owner uses the browser, or another
  // call does; unavailable: it cannot be started. Starts none.
  web::Task<web::Result<Prospect>> look_up(std::string agent, Order);
  // Starts the browser if it is needed. `spec`: without its text.
  web::Task<web::Result<Outcome>> act(runtime::CommandSpec spec, Prospect);
  // The same for what an owner has allowed meanwhile: on the same page if it is still open, else it is opened again,
  // and the elements are those of the same role and name. conflict if they are not there.
  web::Task<web::Result<Outcome>> act_later(runtime::CommandSpec spec, Prospect);

  // What has changed since `after`; waits for it up to `patience`. While it is called, pictures are taken.
  web::Task<View> watch(std::string agent, std::uint64_t after, std::chrono::milliseconds patience);
  // The owner takes the browser, or gives it back. conflict: it does not run.
  web::Task<web::Result<void>> take(std::string agent, bool is_taken);
  // conflict unless it is taken.
  web::Task<web::Result<void>> use(std::string agent, Input);
  web::Task<web::Result<void>> go(std::string agent, std::string url);
  web::Task<> end(std::string agent);
  // Called on `home`.
  web::Task<> stop_all();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

// Of http and https only.
web::Result<std::string> host_of(const std::string& url);

}  // namespace browser
