# For a board: static libraries of drivers and Arduino API, once with the trace and once without, and
# <build>/sketch.json, which tells the sketch build how to compile kernel and port, and how to link.
#
# board/<name>/board.cmake says, as data: TAKT_PORT (folder of port/), TAKT_CPU_FLAGS, TAKT_DEBUG_FLAGS,
# TAKT_DRIVERS (globs below drivers/), TAKT_LINK_SCRIPT, TAKT_TRACE_EVENTS; TAKT_DEFINITIONS (of
# include/takt/config.h and such, for everything including sketches); TAKT_KERNEL_FLAGS (of what is
# below the Arduino API); TAKT_LINK_FLAGS where it is not newlib-nano without start files;
# TAKT_CXX_STANDARD where the compiler does not know gnu++20; TAKT_INCLUDES, more include folders;
# TAKT_ARDUINO_LESS, files of arduino/ that the compiler's library has;
# TAKT_TASK_8, files to compile once more with TAKT_TASK_BITS=8; TAKT_ALONE, files of drivers/ and
# arduino/ to compile once more for programs of one thread (TAKT_ONE_THREAD of takt/config.h);
# TAKT_PROGRAM_FLAGS, of sketches and programs only, after all others, and TAKT_PROGRAM_CXX_FLAGS.
# A board that is another one with something added includes that one's board.cmake and names it in
# TAKT_BASE: what its own folder lacks is taken from there.
#
# Of the command line: TAKT_BOARD_DIR, the board's folder if it is elsewhere; TAKT_CHECKS, checks of the
# kernel's callers and data; TAKT_CLANG, see arm-none-eabi.cmake.
if(TAKT_BOARD_DIR)
    set(board_dir ${TAKT_BOARD_DIR})
else()
    set(board_dir ${CMAKE_SOURCE_DIR}/board/${TAKT_BOARD})
endif()
if(NOT EXISTS ${board_dir}/board.cmake)
    message(FATAL_ERROR "board '${TAKT_BOARD}': no ${board_dir}/board.cmake")
endif()
include(${board_dir}/board.cmake)
set(board_dirs ${board_dir})
if(TAKT_BASE)
    list(APPEND board_dirs ${CMAKE_SOURCE_DIR}/board/${TAKT_BASE})
endif()
find_file(link_script ${TAKT_LINK_SCRIPT} PATHS ${board_dirs} NO_DEFAULT_PATH NO_CACHE REQUIRED)

# Another name for a folder in what is compiled: a program is the same wherever its files lie
# (tools/takt/code/source_names.py).
set(renaming -fdebug-prefix-map)
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_COMPILER_VERSION VERSION_LESS 8)
    list(APPEND TAKT_DEBUG_FLAGS -gno-record-gcc-switches) # of which the folder's own name is one
else()
    list(APPEND renaming -fmacro-prefix-map) # __FILE__
endif()
set(common_flags ${TAKT_CPU_FLAGS} -Os -g ${TAKT_DEBUG_FLAGS} -ffunction-sections -fdata-sections -fno-common
    -fstack-usage)
if(TAKT_CLANG)
    include(cmake/clang.cmake)
else()
    list(APPEND common_flags -fno-tree-loop-distribute-patterns) # memmove is slow for a few words
endif()
if(TAKT_CHECKS)
    list(APPEND TAKT_DEFINITIONS TAKT_CHECKS=1)
endif()
foreach(option ${renaming})
    list(APPEND common_flags ${option}=${CMAKE_SOURCE_DIR}=/takt)
endforeach()
foreach(definition ${TAKT_DEFINITIONS})
    list(APPEND common_flags -D${definition})
endforeach()
set(c_flags -std=gnu11 ${clang_c_flags})
if(NOT DEFINED TAKT_CXX_STANDARD)
    set(TAKT_CXX_STANDARD gnu++20)
endif()
set(cxx_flags -std=${TAKT_CXX_STANDARD} -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit
    ${clang_cxx_flags})
if(NOT DEFINED TAKT_LINK_FLAGS)
    set(TAKT_LINK_FLAGS -nostartfiles -nodefaultlibs --specs=nano.specs -Wl,--no-warn-rwx-segments
        -Wl,--wrap=__malloc_lock,--wrap=__malloc_unlock,--wrap=__assert_func) # libc/newlib.c
endif()
set(link_flags ${TAKT_CPU_FLAGS} ${TAKT_LINK_FLAGS} -Wl,--gc-sections)
foreach(dir ${board_dirs} ${CMAKE_SOURCE_DIR}/board) # where link scripts look for what they include
    list(APPEND link_flags -L${dir})
endforeach()
set(includes ${board_dirs} ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/arduino
    ${CMAKE_SOURCE_DIR}/port/${TAKT_PORT})
foreach(folder ${TAKT_INCLUDES})
    list(APPEND includes ${CMAKE_SOURCE_DIR}/${folder})
endforeach()

# Sources are whatever lies in the folder; ninja looks again when a file comes or goes.
function(sources_in result)
    set(found)
    foreach(pattern ${ARGN})
        file(GLOB files CONFIGURE_DEPENDS ${pattern})
        list(APPEND found ${files})
    endforeach()
    list(REMOVE_DUPLICATES found)
    set(${result} ${found} PARENT_SCOPE)
endfunction()

# Kernel and port are compiled for each set of features that some program uses
# (tools/takt/build/kernel.py).
sources_in(kernel_sources ${CMAKE_SOURCE_DIR}/kernel/*/*.c ${CMAKE_SOURCE_DIR}/admission/*.c)
sources_in(port_sources ${CMAKE_SOURCE_DIR}/port/${TAKT_PORT}/*.c
    ${CMAKE_SOURCE_DIR}/port/${TAKT_PORT}/*.S)
set(lto_sources ${port_sources})
list(FILTER lto_sources INCLUDE REGEX "_lto\\.c$")
if(lto_sources)
    set(lto_flags -flto -ffat-lto-objects)
endif()
foreach(layer kernel port)
    list(TRANSFORM ${layer}_sources REPLACE "^${CMAKE_SOURCE_DIR}/" "")
endforeach()
foreach(source ${TAKT_TASK_8})
    list(APPEND port_sources "${source} -DTAKT_TASK_BITS=8")
endforeach()
list(TRANSFORM board_dirs APPEND /*.c OUTPUT_VARIABLE board_c)
list(TRANSFORM board_dirs APPEND /*.S OUTPUT_VARIABLE board_asm)
sources_in(board_sources ${board_c} ${board_asm})
list(TRANSFORM TAKT_DRIVERS PREPEND ${CMAKE_SOURCE_DIR}/drivers/)
sources_in(driver_sources ${TAKT_DRIVERS})
sources_in(arduino_sources ${CMAKE_SOURCE_DIR}/arduino/*.c ${CMAKE_SOURCE_DIR}/arduino/*.cpp)
list(TRANSFORM TAKT_ARDUINO_LESS PREPEND ${CMAKE_SOURCE_DIR}/arduino/)
list(REMOVE_ITEM arduino_sources ${TAKT_ARDUINO_LESS})

# A static library of one layer; empty layers are left out.
function(layer variant name)
    if(NOT ARGN)
        return()
    endif()
    set(library takt_${name}_${variant})
    add_library(${library} STATIC EXCLUDE_FROM_ALL ${ARGN})
    set_target_properties(${library} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY
        ${CMAKE_BINARY_DIR}/${variant} ARCHIVE_OUTPUT_NAME takt_${name})
    target_include_directories(${library} PRIVATE ${includes} ${CMAKE_SOURCE_DIR}/drivers
        ${CMAKE_SOURCE_DIR}/kernel ${CMAKE_SOURCE_DIR}/port/${TAKT_PORT})
    target_compile_options(${library} PRIVATE ${common_flags}
        $<$<COMPILE_LANGUAGE:C>:${c_flags}> $<$<COMPILE_LANGUAGE:CXX>:${cxx_flags}>)
    if(name STREQUAL arduino)
        target_compile_definitions(${library} PRIVATE ${arduino_definitions})
    else()
        target_compile_options(${library} PRIVATE ${TAKT_KERNEL_FLAGS})
    endif()
    target_compile_definitions(${library} PRIVATE TAKT_TRACE_EVENTS=${trace_events})
    target_link_libraries(${library} PRIVATE takt_warnings)
    if(name STREQUAL arduino AND NOT TAKT_PORT STREQUAL avr) # which has no C++ library to read
        target_precompile_headers(${library} PRIVATE
            $<$<COMPILE_LANGUAGE:CXX>:${CMAKE_SOURCE_DIR}/arduino/Arduino.h>)
    endif()
    add_dependencies(takt_${variant} ${library})
    set_property(GLOBAL APPEND PROPERTY archives_${variant}
        \"${CMAKE_BINARY_DIR}/${variant}/libtakt_${name}.a\")
endfunction()

function(variant name trace_events)
    add_custom_target(takt_${name} ALL)
    layer(${name} board ${board_sources})
    layer(${name} arduino ${arduino_sources})
    layer(${name} drivers ${driver_sources})
    get_property(archives GLOBAL PROPERTY archives_${name})
    list(JOIN archives ", " archives)
    set(archives_${name} "${archives}" PARENT_SCOPE)
endfunction()

variant(trace ${TAKT_TRACE_EVENTS})
variant(plain 0)

if(NOT TAKT_GCC)
    set(TAKT_GCC ${CMAKE_C_COMPILER})
endif()

if(TAKT_ALONE)
    set(trace_events 0)
    list(TRANSFORM TAKT_ALONE PREPEND ${CMAKE_SOURCE_DIR}/)
    layer(plain alone ${TAKT_ALONE})
    target_compile_definitions(takt_alone_plain PRIVATE TAKT_ONE_THREAD=1)
    set(archive_alone "${CMAKE_BINARY_DIR}/plain/libtakt_alone.a")
endif()

if(lto_flags)
    add_custom_target(takt_lto DEPENDS takt_plain)
    set(archives_lto "${archives_plain}")
endif()

function(json_list result)
    list(TRANSFORM ARGN REPLACE "(.+)" "\"\\1\"")
    list(JOIN ARGN ", " joined)
    set(${result} "[${joined}]" PARENT_SCOPE)
endfunction()

json_list(json_flags ${common_flags} ${TAKT_PROGRAM_FLAGS})
json_list(json_c ${c_flags})
json_list(json_cxx ${cxx_flags} ${TAKT_PROGRAM_CXX_FLAGS})
json_list(json_link ${link_flags})
json_list(json_lto ${lto_flags})
json_list(json_kernel_flags ${common_flags} ${TAKT_KERNEL_FLAGS} -Wall -Wextra -Wshadow -Wconversion -Werror)
json_list(json_kernel ${kernel_sources})
json_list(json_port ${port_sources})
if(NOT DEFINED TAKT_LIBRARIES)
    set(TAKT_LIBRARIES -lstdc++ -lc -lm -lgcc -Wl,--end-group -lnosys)
endif()
json_list(json_libraries ${TAKT_LIBRARIES})
json_list(json_renaming ${renaming})
json_list(json_includes ${includes})
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/sketch.json CONTENT [[{
  "cc": "@CMAKE_C_COMPILER@",
  "cxx": "@CMAKE_CXX_COMPILER@",
  "version": "@CMAKE_C_COMPILER_VERSION@",
  "gcc": "@TAKT_GCC@",
  "flags": @json_flags@,
  "c_flags": @json_c@,
  "cxx_flags": @json_cxx@,
  "includes": @json_includes@,
  "link_flags": @json_link@,
  "libraries": @json_libraries@,
  "lto_flags": @json_lto@,
  "kernel_flags": @json_kernel_flags@,
  "sources": {"kernel": @json_kernel@, "port": @json_port@},
  "link_script": "@link_script@",
  "renaming": @json_renaming@,
  "trace_events": @TAKT_TRACE_EVENTS@,
  "archives": {
    "trace": [@archives_trace@],
    "plain": [@archives_plain@],
    "lto": [@archives_lto@]
  },
  "alone": "@archive_alone@"
}
]] @ONLY)
