#pragma once

#include "store/store.h"
#include "web/metrics.h"

namespace health {

// Figures of the store and of this process, read when /metrics is. The store must outlive every reading.
void add_gauges(web::Metrics&, const store::Store&);

}  // namespace health
