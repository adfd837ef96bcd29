#pragma once

#include "store/store.h"
#include "web/metrics.h"

namespace health {

// Gauges of the store and of this process, read at each request of /metrics. The store must outlive them.
void add_gauges(web::Metrics&, const store::Store&);

}  // namespace health
