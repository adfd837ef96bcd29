// `agentbox summarizer`: fetches, parses and extracts web pages in a process of its own, since what it reads is
// hostile. It opens no store and knows no secret.
#pragma once

#include <functional>
#include <string>

namespace summarizer {

struct Options {
  std::string listen = "127.0.0.1:3100";  // host:port; port 0 picks a free one
  bool allow_private = false;             // fetch private and loopback addresses too
  std::string user_agent = "agentbox-summarizer/1.0";
  std::function<void(const std::string& url)> on_ready;  // called once the listener accepts, with the port really bound
};

// Serves until SIGTERM or SIGINT, lets running requests finish (10 s at most), and returns. Throws std::runtime_error
// with one sentence when it cannot listen.
void run(const Options&);

}  // namespace summarizer
