#include "appliance/files/explorer/handlers.h"

namespace explorer {

Reply send_raw_file(const Services& services, const web::Request& request, FileQuery query) {
  auto opened = co_await services.explorer.open_raw(agent_of(query.agent), std::move(query.path));
  if (!opened) co_return opened.error();
  co_return view(request, std::move(*opened), services.explorer);
}

}  // namespace explorer
