// The spans of model calls.
#pragma once

#include "appliance/billing/spans/recorder.h"
#include "appliance/models/attempt.h"
#include "appliance/models/providers/provider.h"

namespace models {

// Of an attempt that is about to be made.
spans::Span model_span(const Attempt&);
void end_span(spans::Running, const Attempt&, const Outcome<ChatAnswer>&);
// Of an answer from the cache.
spans::Span cached_span(const ModelCall&, const ChatAnswer&);

}  // namespace models
