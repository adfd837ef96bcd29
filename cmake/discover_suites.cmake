# Lists the suites of a GoogleTest program for ctest, a test for each: starting the sanitized program takes longer than most
# of its tests. Run after each link:
# cmake -DPROGRAM=... -DOUTPUT=... "-DPROPERTIES=NAME VALUE ..." -P discover_suites.cmake
execute_process(COMMAND ${PROGRAM} --gtest_list_tests
  OUTPUT_VARIABLE listing ERROR_VARIABLE errors RESULT_VARIABLE failure)
if(failure)
  message(FATAL_ERROR "${PROGRAM} does not list its tests: ${failure}\n${errors}")
endif()

# A suite's line begins at the margin and ends with a dot, perhaps with the type of a typed test behind it.
string(REGEX MATCHALL "(^|\n)[A-Za-z_][A-Za-z0-9_/]*[.]" suites "${listing}")
set(tests "")
foreach(suite IN LISTS suites)
  string(STRIP "${suite}" suite)
  string(REGEX REPLACE "[.]$" "" suite "${suite}")
  string(APPEND tests
    "add_test([=[${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n"
    "set_tests_properties([=[${suite}]=] PROPERTIES ${PROPERTIES})\n")
endforeach()
if(NOT tests)
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
file(WRITE ${OUTPUT} "${tests}")
