# For the host: the virtual platform and the admission test as shared libraries the command line
# loads, and the unit tests.
#
# tests/unit/<name>/ with a CMakeLists.txt describes itself; every other tests/unit/**/*_test.cpp
# is a test program of its own, linked with the kernel and GoogleTest.
option(TAKT_SANITIZE "AddressSanitizer and UndefinedBehaviourSanitizer" OFF)
if(TAKT_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# What the command line needs; ./takt builds this target.
add_custom_target(takt_host)

if(EXISTS ${CMAKE_SOURCE_DIR}/platform/CMakeLists.txt)
    add_subdirectory(platform)
    add_dependencies(takt_host takt_platform takt_usbcan)
    if(TARGET takt_platform_avr)
        add_dependencies(takt_host takt_platform_avr)
    endif()
endif()

file(GLOB admit_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/admission/*.c)
if(admit_sources)
    add_library(takt_admit SHARED ${admit_sources} ${CMAKE_SOURCE_DIR}/kernel/job/releases.c)
    target_include_directories(takt_admit PUBLIC include)
    target_link_libraries(takt_admit PRIVATE takt_warnings)
    add_dependencies(takt_host takt_admit)
endif()

find_package(GTest QUIET)
if(NOT TARGET GTest::gtest)
    message(STATUS "GoogleTest is not here: no unit tests in this build")
    return()
endif()
enable_testing()
include(GoogleTest)

# The kernel with its invariants checked after every mutation; a test brings its own port.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernel/*/*.c
    ${CMAKE_SOURCE_DIR}/admission/*.c)
if(kernel_sources)
    add_library(takt_kernel_checked STATIC EXCLUDE_FROM_ALL ${kernel_sources})
    target_include_directories(takt_kernel_checked PUBLIC include kernel)
    target_compile_definitions(takt_kernel_checked PUBLIC TAKT_CHECKS=1)
    target_link_libraries(takt_kernel_checked PRIVATE takt_warnings)
endif()

add_custom_target(takt_unit_tests)

# How C++ of tests is compiled, which is compiled more often than it runs.
set(takt_test_options $<$<CONFIG:Release>:-O0>)
if(TAKT_SANITIZE)
    list(APPEND takt_test_options
        "SHELL:--param asan-instrumentation-with-call-threshold=0")
endif()

# What most of the time of compiling tests is spent on, once for all of them.
file(CONFIGURE OUTPUT headers.cpp CONTENT "")
add_library(takt_test_headers STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
target_link_libraries(takt_test_headers PRIVATE GTest::gtest)
target_precompile_headers(takt_test_headers PRIVATE <gtest/gtest.h>)
target_compile_options(takt_test_headers PRIVATE ${takt_test_options})
set_target_properties(takt_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)

# takt_test_code(TARGET): C++ of tests.
function(takt_test_code name)
    target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${takt_test_options}>")
    target_link_libraries(${name} PRIVATE GTest::gtest)
    target_precompile_headers(${name} REUSE_FROM takt_test_headers)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF) # as the headers
endfunction()

# takt_unit_test(NAME SOURCES...): a GoogleTest program known to ctest, by the label of its folder;
# takt_unit_tests_FOLDER builds those of one.
function(takt_unit_test name)
    add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
    takt_test_code(${name})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    cmake_path(ABSOLUTE_PATH ARGV1 OUTPUT_VARIABLE source)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
        PROPERTIES LABELS ${folder})
    if(NOT TARGET takt_unit_tests_${folder})
        add_custom_target(takt_unit_tests_${folder})
    endif()
    add_dependencies(takt_unit_tests_${folder} ${name})
    add_dependencies(takt_unit_tests ${name})
endfunction()

file(GLOB_RECURSE test_descriptions CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/CMakeLists.txt)
set(described)
foreach(description ${test_descriptions})
    cmake_path(GET description PARENT_PATH folder)
    list(APPEND described ${folder})
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE relative)
    add_subdirectory(${relative})
endforeach()

file(GLOB_RECURSE test_programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/*_test.cpp)
foreach(program ${test_programs})
    cmake_path(GET program PARENT_PATH folder)
    if(NOT folder IN_LIST described)
        cmake_path(GET program STEM name)
        takt_unit_test(${name} ${program})
        target_link_libraries(${name} PRIVATE takt_kernel_checked)
    endif()
endforeach()
