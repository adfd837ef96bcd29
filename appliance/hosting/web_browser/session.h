// One running browser: its pages, and what is done in the newest of them. Its pages may be hostile: what they send is
// bounded, and is text of others.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/descriptor.h"
#include "appliance/hosting/web_browser/page_text.h"
#include "web/result.h"
#include "web/task.h"

namespace browser {

class DevTools;

inline constexpr std::size_t max_pages = 4;                 // the oldest is closed
inline constexpr std::size_t max_page_text_bytes = 20'000;  // of page_text
inline constexpr std::int64_t max_download_bytes = 50 << 20;
inline constexpr auto downloads_folder = "downloads";  // in the browser's own folder

struct Page {
  std::string url, title, text;
  std::vector<std::string> notes;  // sentences about what happened besides
};

struct Download {
  std::string file;  // its name in downloads_folder
  std::string name;  // as the page calls it
  std::string url;
};

struct Entry {
  Element element;
  std::string text;
};

// What the owner sees.
struct Picture {
  std::string jpeg;  // base64; empty: none yet
  std::int64_t width = 0, height = 0;
};

// An owner's hand: a mouse event or keys.
struct Input {
  std::string kind;     // pressed, released, moved, wheel; key, text
  double x = 0, y = 0;  // in pixels of the page
  double down = 0;      // wheel
  std::string key, text;
};

// Used on `home` only.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::io_context& home, files::Descriptor input, files::Descriptor output,
          boost::asio::thread_pool& blocking, std::function<void()> changed);

  // Until the browser's pipes are closed.
  web::Task<> run();
  // Waits until it answers, and opens an empty page.
  web::Task<web::Result<void>> begin();
  void close();
  const std::string& problem() const;

  // Errors are sentences for the agent. A page is returned once it has loaded, or after some seconds.
  web::Task<web::Result<Page>> open(std::string url);
  web::Task<web::Result<Page>> read();
  web::Task<web::Result<Page>> click(Element);
  web::Task<web::Result<Page>> type(std::vector<Entry>, bool submits);
  web::Task<web::Result<std::string>> screenshot();  // JPEG in base64
  // By a click, or with an empty element from the address.
  web::Task<web::Result<Download>> download(std::optional<Element>, std::string url);

  std::string url() const;
  std::string title() const;
  // What the text that was read last has references to.
  const PageText& page_text() const { return text_; }

  void use(const Input&);
  // Pictures of the page as it changes, for `changed`.
  void start_pictures();
  void stop_pictures();
  const Picture& picture() const { return picture_; }

 private:
  struct Tab {
    std::string target, session, url, title;
    bool is_loading = false;
  };
  struct Arrival {
    std::string file, name, url, state;
    std::int64_t bytes = 0;
  };

  web::Task<web::Result<boost::json::object>> ask(std::string method, boost::json::object params);
  void on_event(const std::string& method, const std::string& session, boost::json::object params);
  void on_page_event(Tab&, const std::string& method, const boost::json::object& params);
  void on_download(const std::string& method, const boost::json::object& params);
  void add_tab(const boost::json::object& params);
  void remove_tab(const std::string& session);
  Tab* tab_of(const std::string& session);
  web::Task<web::Result<void>> require_tab();
  web::Task<> settle(std::chrono::milliseconds longest);
  web::Task<web::Result<boost::json::value>> evaluate(std::string expression);
  web::Task<web::Result<Page>> read_once();
  web::Task<web::Result<void>> press(Element);
  web::Task<web::Result<void>> enter(Entry);
  web::Task<web::Result<Download>> arrival();
  void let_download(bool is_let);

  boost::asio::io_context& home_;
  const std::function<void()> changed_;
  std::shared_ptr<DevTools> devtools_;
  std::vector<Tab> tabs_;  // the newest is the one in use
  PageText text_;
  std::vector<std::string> notes_;
  std::optional<Arrival> arriving_;
  bool takes_pictures_ = false;
  Picture picture_;
};

}  // namespace browser
