// The services that every module builds on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <string>
#include <vector>

#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/settings/settings.h"
#include "store/store.h"
#include "web/routes/route.h"
#include "web/server/server.h"

namespace agentbox {

// Owned by the box; outlives every module.
struct Platform {
  const Settings& settings;
  const DataFolder& folder;
  const std::string master_key;
  store::System system;
  web::IoPool& network;
  boost::asio::io_context& home;  // runs background work; one of the network's
  // Threads for work that blocks, apart so that one kind does not hold up another. (The file explorer and its git have
  // threads of their own.)
  boost::asio::thread_pool& blocking;  // files, reads of whole tables
  boost::asio::thread_pool& uploads;
  boost::asio::thread_pool& backups;
};

// The rows of a module, by the listener that serves them.
struct Rows {
  std::vector<web::Route> web, backend;

  void add(Rows more) {
    web::append(web, std::move(more.web));
    web::append(backend, std::move(more.backend));
  }
};

}  // namespace agentbox
