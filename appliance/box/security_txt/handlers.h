#pragma once

#include "appliance/box/security_txt/routes.h"
#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace security_txt {

web::Task<web::Result<web::Response>> show(const Services&, const web::Request&);

}  // namespace security_txt
