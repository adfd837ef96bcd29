// libFuzzer's entry point for the function that FUZZ_TARGET names.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/body_target.h"
#include "tests/fuzz/explorer_targets.h"
#include "tests/fuzz/identity_targets.h"
#include "tests/fuzz/multipart_target.h"
#include "tests/fuzz/provider_stream_target.h"
#include "tests/fuzz/repository_target.h"
#include "tests/fuzz/schedule_targets.h"
#include "tests/fuzz/summarizer_targets.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::FUZZ_TARGET({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
