// The summarizer's HTTP surface.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "summarizer/options.h"
#include "summarizer/page_cache.h"
#include "web/routes/route.h"

namespace summarizer {

inline constexpr const char* service_version = "1.0.0";

// All outlive the rows.
struct Services {
  const Options& options;
  PageCache& cache;
  boost::asio::thread_pool& parsers;  // so that a slow page does not block the network threads
};

std::vector<web::Route> web_routes(const Services&);

}  // namespace summarizer
