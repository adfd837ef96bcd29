// The part of personal data that mails to a user are.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "appliance/identity/personal_data/personal_data.h"
#include "store/store.h"

namespace mail {

// Blocking reads run on `blocking`.
personal_data::Part personal_data_of(const store::System&, boost::asio::thread_pool& blocking);

}  // namespace mail
