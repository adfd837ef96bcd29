// The world outside of a box that has no network: a small web site on this machine, with pages to summarize, sources
// for data feeds, and the inbox of everybody to whom the box sends mail.
#pragma once

#include <functional>
#include <string>

#include "web/server.h"

namespace demo {

struct Mail {
  std::string to, subject, body, at;
};

class OutsideWorld {
 public:
  using ReadMails = std::function<web::Task<web::Result<std::vector<Mail>>>()>;

  // Serves at `listen` (host:port; port 0 picks a free one). `read_mails` is called for each look into the inbox.
  OutsideWorld(const std::string& listen, ReadMails read_mails);
  ~OutsideWorld();

  std::string url() const { return server_.url("outside"); }

 private:
  web::IoPool pool_{1};
  web::Server server_{pool_};
};

}  // namespace demo
