#include "store/postgres/libpq.h"

#include <dlfcn.h>

#include <string>

#include "store/engine.h"

namespace store::postgres {
namespace {

template <class Function>
void find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (!function)
    throw Unavailable("libpq.so.5 lacks " + std::string(name) + ": install libpq5 of PostgreSQL 14 or later");
}

Libpq load_libpq() {
  void* const library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Unavailable("STORE_URL needs PostgreSQL's client library, libpq.so.5: install the package libpq5");
  Libpq found{};
  const auto find = [library](const char* name, auto& function) { find_symbol(library, name, function); };
  find("PQconninfoParse", found.PQconninfoParse);
  find("PQconninfoFree", found.PQconninfoFree);
  find("PQfreemem", found.PQfreemem);
  find("PQconnectStartParams", found.PQconnectStartParams);
  find("PQconnectPoll", found.PQconnectPoll);
  find("PQstatus", found.PQstatus);
  find("PQsocket", found.PQsocket);
  find("PQerrorMessage", found.PQerrorMessage);
  find("PQserverVersion", found.PQserverVersion);
  find("PQfinish", found.PQfinish);
  find("PQsetnonblocking", found.PQsetnonblocking);
  find("PQenterPipelineMode", found.PQenterPipelineMode);
  find("PQpipelineSync", found.PQpipelineSync);
  find("PQsendPrepare", found.PQsendPrepare);
  find("PQsendQueryPrepared", found.PQsendQueryPrepared);
  find("PQsendQueryParams", found.PQsendQueryParams);
  find("PQflush", found.PQflush);
  find("PQconsumeInput", found.PQconsumeInput);
  find("PQisBusy", found.PQisBusy);
  find("PQgetResult", found.PQgetResult);
  find("PQresultStatus", found.PQresultStatus);
  find("PQresultErrorField", found.PQresultErrorField);
  find("PQntuples", found.PQntuples);
  find("PQgetisnull", found.PQgetisnull);
  find("PQgetlength", found.PQgetlength);
  find("PQgetvalue", found.PQgetvalue);
  find("PQclear", found.PQclear);
  find("PQsetNoticeProcessor", found.PQsetNoticeProcessor);
  return found;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq loaded = load_libpq();
  return loaded;
}

}  // namespace store::postgres
