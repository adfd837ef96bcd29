// The spans of the watchdog's events.
#pragma once

#include "appliance/billing/spans/records.h"
#include "appliance/runtime/watchdog/records.h"

namespace watchdog {

// Of the state that the agent has entered last.
spans::Span span_of(const Watch&);

}  // namespace watchdog
