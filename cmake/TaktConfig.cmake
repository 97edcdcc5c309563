# Takt in a CMake project: find_package(Takt) or add_subdirectory(takt); docs/cmake.md.
#
# takt::kernel              headers of the kernel's C API
# takt_firmware(NAME BOARD board SOURCES source... [LIBRARIES folder...] [COMPILER gcc|clang]
#               [CHECKS] [NO_TRACE] [LTO])
#
# Takt's own build compiles and links a program, several times until its stacks fit, and judges it;
# here is one command that runs it. So a project's compilers may be for the host, and programs for
# several boards are in one build tree.
cmake_minimum_required(VERSION 3.25)

if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../takt)
    set(TAKT_COMMAND ${CMAKE_CURRENT_LIST_DIR}/../takt CACHE FILEPATH "Takt's command line")
else()
    find_program(TAKT_COMMAND takt HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin
        DOC "Takt's command line" REQUIRED)
endif()
if(NOT TARGET takt::kernel)
    execute_process(COMMAND ${TAKT_COMMAND} --cmake-dir OUTPUT_VARIABLE takt_folder
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(GET takt_folder PARENT_PATH takt_folder)
    add_library(takt_kernel INTERFACE)
    add_library(takt::kernel ALIAS takt_kernel)
    target_include_directories(takt_kernel SYSTEM INTERFACE ${takt_folder}/include)
endif()

function(takt_firmware name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "CHECKS;NO_TRACE;LTO" "BOARD;COMPILER" "SOURCES;LIBRARIES")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "takt_firmware(${name}): ${arg_UNPARSED_ARGUMENTS}?")
    endif()
    foreach(needed BOARD SOURCES)
        if(NOT arg_${needed})
            message(FATAL_ERROR "takt_firmware(${name}) needs ${needed}")
        endif()
    endforeach()
    if(arg_BOARD MATCHES "/") # a folder
        cmake_path(ABSOLUTE_PATH arg_BOARD NORMALIZE)
    endif()
    set(sources)
    foreach(source ${arg_SOURCES})
        cmake_path(ABSOLUTE_PATH source NORMALIZE)
        list(APPEND sources ${source})
    endforeach()
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name})
    set(how ${out}/${name}.program --board ${arg_BOARD} --out ${out})
    foreach(folder ${arg_LIBRARIES})
        cmake_path(ABSOLUTE_PATH folder NORMALIZE)
        list(APPEND how --library ${folder})
    endforeach()
    if(arg_COMPILER)
        list(APPEND how --compiler ${arg_COMPILER})
    endif()
    if(arg_CHECKS)
        list(APPEND how --checks)
    endif()
    if(arg_LTO)
        list(APPEND how --lto)
    endif()
    if(arg_NO_TRACE)
        list(APPEND how --no-trace)
    endif()

    # Nothing of it is compiled by CMake: its sources are there for IDEs, and what is set for it by
    # target_include_directories() and so on, INTERFACE, goes into the program file.
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE takt::kernel)
    list(JOIN sources "\nsource " listed)
    set(includes $<TARGET_PROPERTY:${name},INTERFACE_INCLUDE_DIRECTORIES>)
    set(definitions $<TARGET_PROPERTY:${name},INTERFACE_COMPILE_DEFINITIONS>)
    file(GENERATE OUTPUT ${out}/${name}.program CONTENT "folder ${CMAKE_CURRENT_SOURCE_DIR}
source ${listed}
include $<JOIN:${includes},\ninclude >
define $<JOIN:${definitions},\ndefine >
")
    add_custom_command(OUTPUT ${out}/${name}.elf
        COMMAND ${TAKT_COMMAND} build ${how} --depfile ${out}/${name}.d
        DEPENDS ${sources} ${out}/${name}.program
        DEPFILE ${out}/${name}.d
        COMMENT "Takt: ${name} for ${arg_BOARD}" VERBATIM)
    target_sources(${name} PRIVATE ${sources} ${out}/${name}.elf)
    add_custom_target(${name}-run COMMAND ${TAKT_COMMAND} run ${how}
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} USES_TERMINAL VERBATIM)
endfunction()
