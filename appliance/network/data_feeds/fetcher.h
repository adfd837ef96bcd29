// Asks the sources of data feeds on their intervals.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <set>
#include <string>

#include "appliance/foundation/periodic.h"
#include "appliance/network/data_feeds/data_feeds.h"
#include "web/client/fetch.h"

namespace data_feeds {

// Everything runs on `home`.
class Fetcher {
 public:
  // `reach`: which addresses sources may have. The arguments must outlive it.
  Fetcher(DataFeeds&, boost::asio::io_context& home, web::Reach reach);

  void start();
  // Waits for fetches in progress, each at most ten seconds.
  web::Task<> stop();

 private:
  // Until no feed is due that another worker has not taken.
  web::Task<> fetch_due();
  web::Task<Fetched> fetch(const Source&) const;

  DataFeeds& feeds_;
  const web::Reach reach_;
  // Used on `home` only.
  std::set<std::string> taken_;
  bool stopping_ = false;
  std::deque<agentbox::Periodic> workers_;
};

}  // namespace data_feeds
