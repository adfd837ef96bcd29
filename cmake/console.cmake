# The browser console: type-checked, bundled and embedded. Everything npm installs lives in the build tree; the sources
# are copied there too, because bundler and type checker look for packages beside them.
find_program(NODE node REQUIRED)
find_program(NPM npm REQUIRED)

set(console_source ${CMAKE_CURRENT_SOURCE_DIR}/console)
set(console_build ${CMAKE_CURRENT_BINARY_DIR}/console)
set(console_packages ${console_source}/package.json ${console_source}/package-lock.json)
set(console_tools ${console_source}/build.mjs ${console_source}/diagrams.mjs ${console_source}/styles.mjs ${console_source}/texts.mjs ${console_source}/tsconfig.json)
set(console_cpp ${console_build}/console_assets.cpp)
file(GLOB_RECURSE console_files CONFIGURE_DEPENDS ${console_source}/src/*)

# The packages used here need no install scripts, so none may run.
add_custom_command(
  OUTPUT ${console_build}/packages.stamp
  COMMAND ${CMAKE_COMMAND} -E make_directory ${console_build}
  COMMAND ${CMAKE_COMMAND} -E copy ${console_packages} ${console_build}
  COMMAND ${NPM} ci --no-audit --no-fund --prefer-offline --ignore-scripts --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch packages.stamp
  DEPENDS ${console_packages}
  WORKING_DIRECTORY ${console_build}
  COMMENT "Installing the console's packages"
  VERBATIM)

add_custom_command(
  OUTPUT ${console_cpp}
  COMMAND ${CMAKE_COMMAND} -E rm -rf src
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${console_source}/src src
  COMMAND ${CMAKE_COMMAND} -E copy ${console_tools} .
  COMMAND ${NPM} run --silent check
  COMMAND ${NODE} build.mjs ${console_cpp}
  DEPENDS ${console_files} ${console_tools} ${console_build}/packages.stamp
  WORKING_DIRECTORY ${console_build}
  COMMENT "Building the console"
  VERBATIM)

add_custom_target(console DEPENDS ${console_cpp})
target_sources(web PRIVATE ${console_cpp})
