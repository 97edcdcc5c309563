# find_package(Takt 1.2): that one or a later one, with the same first two numbers, since a change in
# the middle may break a program (CHANGELOG.md). Asked only where a version is asked for.
if(PACKAGE_FIND_VERSION)
    include(${CMAKE_CURRENT_LIST_DIR}/TaktCommand.cmake)
    execute_process(COMMAND ${TAKT_COMMAND} --version OUTPUT_VARIABLE takt_said
        COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "([0-9]+\\.[0-9]+)[0-9.]*" PACKAGE_VERSION "${takt_said}")
    set(takt_series ${CMAKE_MATCH_1})
    string(REGEX MATCH "^[0-9]+(\\.[0-9]+)?" takt_asked ${PACKAGE_FIND_VERSION})
    if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION AND
            (takt_series VERSION_EQUAL takt_asked OR takt_series MATCHES "^${takt_asked}\\."))
        set(PACKAGE_VERSION_COMPATIBLE TRUE)
    endif()
    if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
        set(PACKAGE_VERSION_EXACT TRUE)
    endif()
endif()
