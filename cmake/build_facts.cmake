# Writes a C++ source with how the binary is built: the commit, the compiler, its flags, and the versions of the Debian
# packages that it is built from. Writes nothing if the source is the same already.
#   cmake -D SOURCE=... -D OUTPUT=... -D COMPILER=... -D BUILD_TYPE=... -D FLAGS=... -P build_facts.cmake
execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
if(changes)
  set(is_modified true)
else()
  set(is_modified false)
endif()

file(STRINGS ${SOURCE}/packages.txt lines REGEX "^build (lib|zlib|nettle)")
list(TRANSFORM lines REPLACE "^build ([^ ]+).*" "\\1" OUTPUT_VARIABLE packages)
execute_process(COMMAND dpkg-query -W -f "\${Package} \${Version}\\n" ${packages} OUTPUT_VARIABLE versions ERROR_QUIET)
string(REGEX REPLACE "([^ \n]+) ([^ \n]+)\n" "      {\"\\1\", \"\\2\"},\n" libraries "${versions}")

string(REPLACE "\"" "\\\"" FLAGS "${FLAGS}")
string(REGEX REPLACE " +" " " FLAGS "${FLAGS}")
string(STRIP "${FLAGS}" FLAGS)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "appliance/box/build_facts.h"

namespace agentbox {

BuildFacts build_facts() {
  return {
    .commit = "@commit@",
    .is_modified = @is_modified@,
    .compiler = "@COMPILER@",
    .type = "@BUILD_TYPE@",
    .flags = "@FLAGS@",
    .libraries = {
@libraries@    },
  };
}

}  // namespace agentbox
]])
