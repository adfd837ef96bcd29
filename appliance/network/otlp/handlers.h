#pragma once

#include "appliance/network/otlp/routes.h"
#include "web/routes/body_stream.h"
#include "web/routes/endpoint.h"

namespace otlp {

inline constexpr std::size_t most_body_bytes = 4u << 20, most_decoded_bytes = 16u << 20;

web::Answer receive_traces(const Services&, const web::Request&, web::BodyStream&);

}  // namespace otlp
