# TAKT_COMMAND, the command line of this Takt: beside the folder, or in the bin/ of the environment
# that it is installed in, as share/cmake/Takt or lib/python3/site-packages/takt/tree/cmake.
set(takt_beside ${CMAKE_CURRENT_LIST_DIR}/../takt)
if(EXISTS ${takt_beside} AND NOT IS_DIRECTORY ${takt_beside})
    set(TAKT_COMMAND ${takt_beside} CACHE FILEPATH "Takt's command line")
else()
    find_program(TAKT_COMMAND takt DOC "Takt's command line" REQUIRED HINTS
        ${CMAKE_CURRENT_LIST_DIR}/../../../bin ${CMAKE_CURRENT_LIST_DIR}/../../../../../../bin)
endif()
