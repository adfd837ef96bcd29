// How the rows of /api/browse/* read their input and answer.
#pragma once

#include "appliance/files/explorer/explorer.h"
#include "web/route.h"

namespace explorer {

web::Endpoint tree_endpoint(Explorer&);
web::Endpoint read_endpoint(Explorer&);
web::Endpoint write_endpoint(Explorer&);
web::Endpoint move_endpoint(Explorer&);
web::Endpoint remove_endpoint(Explorer&);
web::Endpoint search_endpoint(Explorer&);
web::Endpoint raw_endpoint(Explorer&);
web::Endpoint watch_endpoint(Explorer&);

web::Endpoint status_endpoint(Explorer&);
web::Endpoint diff_endpoint(Explorer&);
web::Endpoint sync_endpoint(Explorer&);
web::Endpoint log_endpoint(Explorer&);
web::Endpoint show_endpoint(Explorer&);

}  // namespace explorer
