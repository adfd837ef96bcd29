// The summarizer's HTTP surface.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <vector>

#include "summarizer/options.h"
#include "summarizer/page_cache.h"
#include "web/route.h"

namespace summarizer {

inline constexpr const char* service_version = "1.0.0";

// Pages are parsed on `parsers`, so that a slow one does not hold up the network. All arguments must outlive the
// routes.
std::vector<web::Route> routes(const Options& options, PageCache& cache, boost::asio::thread_pool& parsers);

}  // namespace summarizer
