// PostgreSQL's client library, loaded when the first store on a server is opened: the binary does not link it, and a
// box with the embedded engine needs none. The declarations are those of libpq 14 and later (libpq.so.5), which keeps
// them.
#pragma once

#include <cstdint>

namespace store::postgres {

// Of libpq-fe.h, with the numbers that its binary interface fixes.
struct PGconn;
struct PGresult;
struct PQconninfoOption {
  char* keyword;
  char* envvar;
  char* compiled;
  char* val;
  char* label;
  char* dispchar;
  int dispsize;
};
using Oid = unsigned int;
enum ConnectionState { connection_ok = 0, connection_bad = 1 };
enum PollState { poll_failed = 0, poll_reading = 1, poll_writing = 2, poll_ok = 3 };
enum ResultState { command_ok = 1, tuples_ok = 2, bad_response = 5, fatal_error = 7, pipeline_sync = 10 };
constexpr int field_sqlstate = 'C', field_message = 'M', field_detail = 'D';

struct Libpq {
  PQconninfoOption* (*PQconninfoParse)(const char* url, char** error);
  void (*PQconninfoFree)(PQconninfoOption*);
  void (*PQfreemem)(void*);
  PGconn* (*PQconnectStartParams)(const char* const* keywords, const char* const* values, int expand_name);
  int (*PQconnectPoll)(PGconn*);
  int (*PQstatus)(const PGconn*);
  int (*PQsocket)(const PGconn*);
  char* (*PQerrorMessage)(const PGconn*);
  int (*PQserverVersion)(const PGconn*);
  void (*PQfinish)(PGconn*);
  int (*PQsetnonblocking)(PGconn*, int);
  int (*PQenterPipelineMode)(PGconn*);
  int (*PQpipelineSync)(PGconn*);
  int (*PQsendPrepare)(PGconn*, const char* name, const char* sql, int parameters, const Oid* types);
  int (*PQsendQueryPrepared)(PGconn*, const char* name, int parameters, const char* const* values, const int* lengths,
                             const int* formats, int result_format);
  int (*PQsendQueryParams)(PGconn*, const char* sql, int parameters, const Oid* types, const char* const* values,
                           const int* lengths, const int* formats, int result_format);
  int (*PQflush)(PGconn*);
  int (*PQconsumeInput)(PGconn*);
  int (*PQisBusy)(PGconn*);
  PGresult* (*PQgetResult)(PGconn*);
  int (*PQresultStatus)(const PGresult*);
  char* (*PQresultErrorField)(const PGresult*, int field);
  int (*PQntuples)(const PGresult*);
  int (*PQgetisnull)(const PGresult*, int row, int column);
  int (*PQgetlength)(const PGresult*, int row, int column);
  char* (*PQgetvalue)(const PGresult*, int row, int column);
  void (*PQclear)(PGresult*);
  void* (*PQsetNoticeProcessor)(PGconn*, void (*)(void*, const char*), void*);
};

// Throws Unavailable if the library is missing or too old.
const Libpq& libpq();

}  // namespace store::postgres
