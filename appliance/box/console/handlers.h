#pragma once

#include "web/console_assets.h"
#include "web/protocol/http.h"

namespace console {

enum class Caching { revalidate, forever };

// 304 if the client has the asset already.
web::Task<web::Result<web::Response>> serve_asset(const web::Asset&, Caching, const web::Request&);

}  // namespace console
